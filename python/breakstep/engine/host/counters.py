"""The counters of the machine, read together; two readings make what happened between them."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from breakstep.engine.host.cgroup import Throttling, read_throttling
from breakstep.engine.host.cores import CoreTimes, parse_stat
from breakstep.engine.host.packets import Packets, parse_dev
from breakstep.engine.host.segments import Segments, parse_snmp
from breakstep.engine.host.threads import ThreadTimes, read_threads
from breakstep.model.units import NS_PER_S


@dataclass(frozen=True, slots=True)
class Counters:
    """One reading. `at_ns` is on the monotonic clock."""

    at_ns: int
    cores: Mapping[int, CoreTimes]
    segments: Segments
    throttling: Throttling | None
    threads: Mapping[int, ThreadTimes]
    packets: Packets = field(default_factory=Packets)


@dataclass(frozen=True, slots=True)
class CoreUse:
    """One core between two readings, shares of its time."""

    busy: float
    steal: float
    ours: float
    """Used by those of our threads that may run nowhere else."""

    @property
    def others(self) -> float:
        """Used by everyone else: other programs, the kernel, the hypervisor."""
        return max(0.0, self.busy - self.ours)


@dataclass(frozen=True, slots=True)
class HostUse:
    """What happened between two readings. `throttled` is None where nobody counts."""

    wall_s: float
    steal: float
    """Share of all cores' time that the hypervisor withheld."""
    cores: Mapping[int, CoreUse] = field(default_factory=dict)
    segments: Segments = field(default_factory=Segments)
    throttled: int | None = None
    process_cores: float = 0.0
    """CPU time of all our threads, in cores."""
    busy_cores: float = 0.0
    """CPU time of everyone, in cores."""
    packets: Packets = field(default_factory=Packets)


def read_counters(root: Path = Path("/")) -> Counters:
    """Reads everything once: some twenty small files."""
    return Counters(
        at_ns=time.monotonic_ns(),
        cores=parse_stat((root / "proc/stat").read_text(encoding="ascii")),
        segments=parse_snmp((root / "proc/net/snmp").read_text(encoding="ascii")),
        throttling=read_throttling(root),
        threads=read_threads(root / "proc/self/task"),
        packets=parse_dev((root / "proc/net/dev").read_text(encoding="ascii")),
    )


def between(before: Counters, after: Counters) -> HostUse:
    """What happened from one reading to a later one."""
    wall_ns = max(1, after.at_ns - before.at_ns)
    cores = {
        core: times.since(before.cores[core])
        for core, times in after.cores.items()
        if core in before.cores
    }
    ours = _pinned_ns(before, after)
    uses = {
        core: CoreUse(times.busy_share, times.steal_share, ours.get(core, 0) / wall_ns)
        for core, times in cores.items()
    }
    total = sum(times.total for times in cores.values())
    return HostUse(
        wall_s=wall_ns / NS_PER_S,
        steal=sum(times.steal for times in cores.values()) / total if total else 0.0,
        cores=uses,
        segments=after.segments.since(before.segments),
        packets=after.packets.since(before.packets),
        throttled=_throttled(before, after),
        process_cores=sum(_used(before, after).values()) / wall_ns,
        busy_cores=sum(use.busy for use in uses.values()),
    )


def _used(before: Counters, after: Counters) -> Mapping[int, int]:
    """CPU time by thread; one that began in between counts from its start."""
    return {
        thread: times.cpu_ns - (before.threads[thread].cpu_ns if thread in before.threads else 0)
        for thread, times in after.threads.items()
    }


def _pinned_ns(before: Counters, after: Counters) -> Mapping[int, int]:
    used: dict[int, int] = {}
    for thread, cpu_ns in _used(before, after).items():
        core = after.threads[thread].core
        if core is not None:
            used[core] = used.get(core, 0) + cpu_ns
    return used


def _throttled(before: Counters, after: Counters) -> int | None:
    if before.throttling is None or after.throttling is None:
        return None
    return after.throttling.throttled - before.throttling.throttled
