"""Processes by name or id with all their descendants: CPU, waiting, memory, descriptors."""

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import nlargest

from breakstep.model.errors import ProbeError
from breakstep.model.probe import ProbeSpec
from breakstep.model.signal import labelled
from breakstep.model.units import NS_PER_S
from breakstep.probe.local_listeners import holders, listeners_at
from breakstep.probe.process_book import Book
from breakstep.probe.process_family import Family, Matches, named, one
from breakstep.probe.process_files import (
    TICKS_PER_S,
    ProcessStat,
    count_descriptors,
    read_bytes,
    read_process,
)
from breakstep.probe.reading import Reading

_LISTEN = "listen:"
_SHOWN = 8
"""Processes and threads with a signal of their own: the busiest."""
_LABELS_MAX = 64
"""Of each kind in a run: a server that starts a process for every request would never end."""
_ZOMBIE = "Z"
_PUNCTUATION = re.compile(r"[^\w.:/@ -]")
"""What would be read as part of a label, or not at all."""
_NO_THREADS = "this kernel keeps no schedstat: what the threads use and wait for is not known"


def open_probe(spec: ProbeSpec) -> "Processes":
    """Looks once. Raises ProbeError when nothing matches."""
    processes = Processes(spec.where, _finder(spec.where))
    processes.read()
    return processes


class Processes:
    """An open probe. It holds nothing but what it saw last."""

    def __init__(self, where: str, find: Callable[[], Matches], proc: str = "/proc") -> None:
        self._where = where
        self._proc = proc
        self._find = find
        self._family = Family(find(), proc)
        self._book = Book(proc)
        self._looked_ticks: int | None = None
        self._labels: dict[tuple[str, int], str] = {}
        schedstat = read_bytes(f"{proc}/self/task/{os.getpid()}/schedstat")
        self.remark = None if schedstat else _NO_THREADS

    def read(self) -> Sequence[Reading]:
        """Everything now. Raises ProbeError when none is left; it goes on when one is back."""
        at_ticks = int(time.clock_gettime(time.CLOCK_BOOTTIME) * TICKS_PER_S)
        try:
            stats = self._family.now()
            if not _alive(stats):
                stats = self._again()
            self._book.look(stats, self._looked_ticks)
        except (OSError, ValueError) as error:
            raise ProbeError(f"{self._proc} cannot be read: {error}") from error
        self._looked_ticks = at_ticks
        if not _alive(stats):
            raise ProbeError(_nobody(self._where))
        return [*self._sums(), *self._counts(), *self._busiest()]

    def close(self) -> None:
        """Nothing is held."""

    def _again(self) -> Mapping[int, ProcessStat]:
        """After the last member ended: those that match now, such as a server started anew."""
        self._family = Family(self._find(), self._proc)
        return self._family.now()

    def _sums(self) -> Iterator[Reading]:
        sums = self._book.sums
        for name, unit, total in (
            ("cpu", "cores", sums.cpu_ns / NS_PER_S),
            ("busiest_process", "cores", sums.busiest_process_ns / NS_PER_S),
        ):
            yield Reading(name, unit, total, counter=True)
        if self.remark is not None:
            return
        for name, unit, total in (
            ("busiest_thread", "cores", sums.busiest_thread_ns / NS_PER_S),
            ("run_delay", "tasks", sums.delay_ns / NS_PER_S),
            ("switches", "1/s", sums.switches),
            ("switches_forced", "1/s", sums.forced),
        ):
            yield Reading(name, unit, total, counter=True)

    def _counts(self) -> Iterator[Reading]:
        alive = {
            pid: process
            for pid, process in self._book.processes.items()
            if process.stat.state != _ZOMBIE
        }
        yield Reading("processes", "count", len(alive))
        yield Reading("threads", "count", sum(one.stat.threads for one in alive.values()))
        yield Reading("running", "count", sum(one.awake for one in alive.values()))
        yield Reading("memory", "bytes", sum(one.stat.resident_bytes for one in alive.values()))
        descriptors = [count_descriptors(self._proc, pid) for pid in alive]
        # A part of them would be a wrong number: all, or none.
        if None not in descriptors:
            yield Reading("descriptors", "count", sum(filter(None, descriptors)))

    def _busiest(self) -> Iterator[Reading]:
        processes = self._book.processes
        used = [(one.used_ns, pid, one.stat.name) for pid, one in processes.items()]
        yield from self._shown("process", used)
        threads = (
            (thread.used_ns, tid, thread.status.name)
            for one in processes.values()
            for tid, thread in one.threads.by_id.items()
        )
        yield from self._shown("thread", threads)

    def _shown(self, kind: str, used: Iterable[tuple[int, int, str]]) -> Iterator[Reading]:
        for used_ns, number, name in nlargest(_SHOWN, used):
            label = self._label(kind, number, name)
            if used_ns and label:
                yield Reading(label, "cores", used_ns / NS_PER_S, counter=True)

    def _label(self, kind: str, number: int, name: str) -> str | None:
        known = self._labels.get((kind, number))
        if known is None and len(self._labels) < 2 * _LABELS_MAX:
            known = labelled("cpu", **{kind: f"{_PUNCTUATION.sub('_', name)}-{number}"})
            self._labels[kind, number] = known
        return known


def _alive(stats: Mapping[int, ProcessStat]) -> bool:
    return any(stat.state != _ZOMBIE for stat in stats.values())


def _finder(where: str) -> Callable[[], Matches]:
    if where.startswith(_LISTEN):
        return lambda: _listening(where.removeprefix(_LISTEN))
    if not (where.isascii() and where.isdecimal()):
        return lambda: named(where)
    stat = read_process("/proc", int(where))
    if stat is None or int(where) == os.getpid():
        raise ProbeError(_nobody(where))
    return lambda: one(int(where), stat.started)


def _listening(where: str) -> Matches:
    """Whoever holds a listener at a port or path now; descendants come along by themselves."""
    found = holders({listener.inode for listener in listeners_at(where)})
    return lambda pid, _: pid in found


def _nobody(where: str) -> str:
    if where.startswith(_LISTEN):
        return (
            f"nobody listens at {where.removeprefix(_LISTEN)}, or only processes that this user may"
            " not look into: is the server running, and are we the same user, or root?"
        )
    if where.isdecimal():
        return f"process {where} is not there (any more): give the name to follow a restart"
    return (
        f"no process is called {where!r}, or was started as that: `ps -e -o pid,comm,args` shows"
        " the names; in a container only its own processes are seen"
    )
