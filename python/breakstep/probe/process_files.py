"""Files of one process and of one thread: parsers raise ValueError, readers say None if gone."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

NS_PER_TICK = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_READ_BYTES = 4096
_STATE, _PARENT, _USER, _SYSTEM, _ENDED_USER, _ENDED_SYSTEM = 0, 1, 11, 12, 13, 14
_THREADS, _STARTED, _RESIDENT = 17, 19, 21
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class ProcessStat(NamedTuple):
    """One process. `own_ns` is its CPU time, `ended_ns` that of the children it waited for."""

    name: str
    state: str
    parent: int
    own_ns: int
    ended_ns: int
    threads: int
    started: int
    """In ticks since boot; with the id it names a process for good."""
    resident_bytes: int


@dataclass(frozen=True, slots=True)
class ThreadStatus:
    """One thread: its state, and how often it gave its core away by choice and by force."""

    name: str
    state: str
    switches: int
    forced: int


def parse_process_stat(data: bytes) -> ProcessStat:
    """`/proc/PID/stat`; a name may hold blanks and brackets."""
    head, _, tail = data.rpartition(b") ")
    row = tail.split(None, _RESIDENT + 1)
    if len(row) <= _RESIDENT:
        raise ValueError("/proc/PID/stat has too few columns")
    return ProcessStat(
        name=head.partition(b"(")[2].decode("utf-8", "replace"),
        state=row[_STATE].decode("ascii", "replace"),
        parent=int(row[_PARENT]),
        own_ns=(int(row[_USER]) + int(row[_SYSTEM])) * NS_PER_TICK,
        ended_ns=(int(row[_ENDED_USER]) + int(row[_ENDED_SYSTEM])) * NS_PER_TICK,
        threads=int(row[_THREADS]),
        started=int(row[_STARTED]),
        resident_bytes=int(row[_RESIDENT]) * _PAGE_BYTES,
    )


def parse_thread_status(data: bytes) -> ThreadStatus:
    """`/proc/PID/task/TID/status`; what it does not say is empty or 0."""
    rows = dict(line.partition(b":")[::2] for line in data.split(b"\n"))
    return ThreadStatus(
        name=rows.get(b"Name", b"").strip().decode("utf-8", "replace"),
        state=rows.get(b"State", b"").strip()[:1].decode("ascii", "replace"),
        switches=int(rows.get(b"voluntary_ctxt_switches", 0)),
        forced=int(rows.get(b"nonvoluntary_ctxt_switches", 0)),
    )


def parse_schedstat(data: bytes) -> tuple[int, int]:
    """Nanoseconds on a core, and waiting for one."""
    row = data.split()
    if len(row) < 2:  # noqa: PLR2004  time on a core, time waited, times scheduled
        raise ValueError("schedstat has too few columns")
    return int(row[0]), int(row[1])


def read_bytes(path: str) -> bytes | None:
    """The start of a small file; None if it is gone or closed to us."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return os.read(file, _READ_BYTES)
    except OSError:
        # The process ended between the two calls.
        return None
    finally:
        os.close(file)


def read_process(proc: str, pid: int) -> ProcessStat | None:
    """A process now; None if it is gone. Raises ValueError."""
    data = read_bytes(f"{proc}/{pid}/stat")
    return parse_process_stat(data) if data else None


def read_program(proc: str, pid: int) -> str:
    """The first word of what a process was started as, or calls itself, without its directory.

    `php-fpm: pool www` calls itself `php-fpm`. Empty for kernel threads and zombies.
    """
    first = (read_bytes(f"{proc}/{pid}/cmdline") or b"").partition(b"\0")[0]
    words = first.decode("utf-8", "replace").split(None, 1)
    return words[0].rstrip(":").rpartition("/")[2] if words else ""


def count_descriptors(proc: str, pid: int) -> int | None:
    """Open files; None where we may not look."""
    path = f"{proc}/{pid}/fd"
    try:
        # Linux 6.2 gives the number as the size of the directory.
        return os.stat(path).st_size or len(os.listdir(path))  # noqa: PTH116, PTH208  hot
    except OSError:
        return None


def process_ids(proc: str) -> Iterator[int]:
    """Of every process that is to be seen."""
    return (int(name) for name in os.listdir(proc) if name.isdecimal())  # noqa: PTH208  hot


def thread_ids(proc: str, pid: int) -> list[int]:
    """Of a process; empty if it is gone."""
    try:
        return [int(name) for name in os.listdir(f"{proc}/{pid}/task")]  # noqa: PTH208  hot
    except OSError:
        return []
