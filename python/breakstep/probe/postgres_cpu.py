"""CPU time of a PostgreSQL server on this machine: its postmaster and all processes that it forks.

A session's process ends with the session, and its time is then found in what the postmaster has of
the children it waited for. The sum of that and of the children that live,

    cpu = own(postmaster) + ended(postmaster) + Σ own(child) + ended(child),

never falls, provided that no child ends between looking at the one and at the other.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from breakstep.model.units import NS_PER_S
from breakstep.probe.process_files import (
    TICKS_PER_S,
    ProcessStat,
    process_ids,
    read_bytes,
    read_process,
)

TRIES = 5
_PROGRAMS = frozenset({"postgres", "postmaster"})
_SAME_START_S = 1.0


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server by its postmaster. `started`, in ticks since boot, tells it from a later process."""

    pid: int
    started: int
    proc: str = "/proc"

    def cpu_s(self) -> float | None:
        """CPU seconds since it started; None if it is gone or changes too fast."""
        for _ in range(TRIES):
            before = self._postmaster()
            children_ns = sum(stat.own_ns + stat.ended_ns for stat in self._children())
            after = self._postmaster()
            if before is None or after is None:
                return None
            if before.ended_ns == after.ended_ns:
                return (after.own_ns + after.ended_ns + children_ns) / NS_PER_S
        return None

    def _postmaster(self) -> ProcessStat | None:
        stat = read_process(self.proc, self.pid)
        return stat if stat is not None and stat.started == self.started else None

    def _children(self) -> Iterable[ProcessStat]:
        stats = (read_process(self.proc, child) for child in self._ids())
        return (stat for stat in stats if stat is not None and stat.parent == self.pid)

    def _ids(self) -> Iterable[int]:
        try:
            text = Path(f"{self.proc}/{self.pid}/task/{self.pid}/children").read_bytes()
        except OSError:
            # A kernel without CONFIG_PROC_CHILDREN: every process says who its parent is.
            return process_ids(self.proc)
        return map(int, text.split())


def find_server(
    backend_pid: int, backend_started_s: float, proc: str = "/proc"
) -> LocalServer | None:
    """The server of a session, if it runs on this machine, in a container or not.

    Its process is known by the id that it has in its own container and by when it began; of another
    machine's server no process here has both.
    """
    for pid in process_ids(proc):
        backend = read_process(proc, pid)
        if backend is None or backend.name not in _PROGRAMS:
            continue
        same_start = abs(_started_s(backend, proc) - backend_started_s) < _SAME_START_S
        if same_start and _inner_pid(pid, proc) == backend_pid:
            postmaster = read_process(proc, backend.parent)
            return (
                None
                if postmaster is None
                else LocalServer(backend.parent, postmaster.started, proc)
            )
    return None


def _started_s(stat: ProcessStat, proc: str) -> float:
    """When a process began, in seconds since 1970."""
    uptime_s = float((read_bytes(f"{proc}/uptime") or b"0").split()[0])
    return time.time() - uptime_s + stat.started / TICKS_PER_S


def _inner_pid(pid: int, proc: str) -> int:
    """The id of a process as it sees it itself: the innermost of its namespaces."""
    for line in (read_bytes(f"{proc}/{pid}/status") or b"").splitlines():
        if line.startswith(b"NSpid:"):
            return int(line.split()[-1])
    return pid
