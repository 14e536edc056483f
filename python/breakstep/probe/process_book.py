"""What a changing set of processes used, as sums that only grow.

A process takes its counters with it when it ends. What it used after the last look is then found in
its parent, whose `ended_ns` grows by all that the child ever used:

    used by the set = Σ growth of own_ns + Σ (growth of ended_ns − last own_ns and ended_ns of the
                      descendants that went since the last look)

Where nobody waited for a child, its last moments are lost; they are never counted twice.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from breakstep.probe.process_files import NS_PER_TICK, ProcessStat
from breakstep.probe.process_threads import Growth, Threads

_AWAKE = frozenset("RD")


@dataclass(slots=True)
class Process:
    """One process at the last look. `used_ns`: since it was first seen."""

    stat: ProcessStat
    own_ns: int
    threads: Threads = field(default_factory=Threads)
    used_ns: int = 0
    owed_ns: int = 0
    """Counted too early of its children: the kernel rounds theirs to ticks."""

    @property
    def awake(self) -> bool:
        """At least one thread runs, or waits for a core or a disk."""
        return self.stat.state in _AWAKE or self.threads.awake

    def grow(self, stat: ProcessStat, threads: Growth) -> int:
        """What it used since the last look.

        Its threads tell exactly, but take what they used last with them when they end; the process
        keeps that, in whole ticks.
        """
        own_ns = max(self.own_ns + threads.cpu_ns, stat.own_ns)
        grown_ns, self.own_ns = own_ns - self.own_ns, own_ns
        self.used_ns += grown_ns
        return grown_ns

    def inherit(self, stat: ProcessStat, gone_ns: int) -> int:
        """What descendants that ended used since the last look, when they had used `gone_ns`."""
        grown_ns = stat.ended_ns - self.stat.ended_ns - gone_ns - self.owed_ns
        self.owed_ns = min(NS_PER_TICK, max(0, -grown_ns))
        return max(0, grown_ns)


@dataclass(slots=True)
class Sums:
    """Since the probe was opened. `busiest_…`: of the busiest between any two looks."""

    cpu_ns: int = 0
    delay_ns: int = 0
    switches: int = 0
    forced: int = 0
    busiest_process_ns: int = 0
    busiest_thread_ns: int = 0

    def add(self, cpu_ns: int, threads: Growth) -> None:
        """What one process did."""
        self.cpu_ns += cpu_ns
        self.delay_ns += threads.delay_ns
        self.switches += threads.switches
        self.forced += threads.forced


class Book:
    """Keeps the sums. Each look takes the processes that are there now."""

    def __init__(self, proc: str = "/proc") -> None:
        self._proc = proc
        self.sums = Sums()
        self.processes: dict[int, Process] = {}

    def look(self, stats: Mapping[int, ProcessStat], since_ticks: int | None) -> None:
        """Adds what was used since the last look.

        A process that began at `since_ticks` or later counts from its start, an older one from
        now; all do if it is None. Raises ValueError.
        """
        gone_ns = self._gone_ns(stats)
        kept = {pid: self._known(pid, stat, since_ticks) for pid, stat in stats.items()}
        busiest_ns, busiest_thread_ns = 0, 0
        for pid, stat in stats.items():
            threads = kept[pid].threads.look(self._proc, pid, stat.threads)
            grown_ns = kept[pid].grow(stat, threads)
            self.sums.add(grown_ns + kept[pid].inherit(stat, gone_ns.get(pid, 0)), threads)
            busiest_ns = max(busiest_ns, grown_ns)
            busiest_thread_ns = max(busiest_thread_ns, threads.busiest_ns)
            kept[pid].stat = stat
        self.sums.busiest_process_ns += busiest_ns
        self.sums.busiest_thread_ns += busiest_thread_ns
        self.processes = kept

    def _known(self, pid: int, stat: ProcessStat, since_ticks: int | None) -> Process:
        known = self.processes.get(pid)
        if known is not None and known.stat.started == stat.started:
            return known
        if since_ticks is not None and stat.started >= since_ticks:
            return Process(stat._replace(ended_ns=0), own_ns=0)
        threads = Threads()
        before = threads.look(self._proc, pid, stat.threads)
        threads.forget_use()
        return Process(stat, max(stat.own_ns, before.cpu_ns), threads)

    def _gone_ns(self, stats: Mapping[int, ProcessStat]) -> Mapping[int, int]:
        """What those that ended had used at the last look, by the ancestor that is still there."""
        gone: dict[int, int] = {}
        for pid, process in self.processes.items():
            if not self._lives(pid, stats):
                heir = self._heir(process, stats)
                gone[heir] = gone.get(heir, 0) + process.own_ns + process.stat.ended_ns
        return gone

    def _heir(self, process: Process, stats: Mapping[int, ProcessStat]) -> int:
        heir, generations = process.stat.parent, len(self.processes)
        while heir in self.processes and not self._lives(heir, stats) and generations:
            heir, generations = self.processes[heir].stat.parent, generations - 1
        return heir

    def _lives(self, pid: int, stats: Mapping[int, ProcessStat]) -> bool:
        return pid in stats and stats[pid].started == self.processes[pid].stat.started
