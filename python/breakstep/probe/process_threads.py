"""The threads of one process: what each used, and how long it waited for a core or gave way."""

from dataclasses import dataclass, field

from breakstep.probe.process_files import (
    ThreadStatus,
    parse_schedstat,
    parse_thread_status,
    read_bytes,
    thread_ids,
)

_AWAKE = frozenset("RD")
_UNBORN = ThreadStatus("", "", 0, 0)


@dataclass(slots=True)
class Thread:
    """One thread at the last look. `used_ns`: since it was first seen."""

    schedstat: bytes = b""
    cpu_ns: int = 0
    delay_ns: int = 0
    status: ThreadStatus = _UNBORN
    used_ns: int = 0


@dataclass(slots=True)
class Growth:
    """What threads did between two looks."""

    cpu_ns: int = 0
    delay_ns: int = 0
    switches: int = 0
    forced: int = 0
    busiest_ns: int = 0

    def add(self, cpu_ns: int, delay_ns: int, switches: int, forced: int) -> None:
        """What one thread did."""
        self.cpu_ns += cpu_ns
        self.delay_ns += delay_ns
        self.switches += switches
        self.forced += forced
        self.busiest_ns = max(self.busiest_ns, cpu_ns)


@dataclass(slots=True)
class Threads:
    """Those that are there, by id."""

    by_id: dict[int, Thread] = field(default_factory=dict)

    @property
    def awake(self) -> bool:
        """One of them runs, or waits for a core or a disk."""
        return any(thread.status.state in _AWAKE for thread in self.by_id.values())

    def look(self, proc: str, pid: int, count: int) -> Growth:
        """What they did since the last look; threads that are new, since they began.

        Raises ValueError.
        """
        growth, before, self.by_id = Growth(), self.by_id, {}
        for tid in thread_ids(proc, pid) if count > 1 else (pid,):
            path = f"{proc}/{pid}/task/{tid}"
            schedstat = read_bytes(f"{path}/schedstat")
            if not schedstat:
                continue
            thread = self.by_id[tid] = before.get(tid) or Thread()
            # One that has not run since then is in the state it was in: nothing else to read.
            if thread.schedstat != schedstat:
                _run(thread, schedstat, read_bytes(f"{path}/status"), growth)
        return growth

    def forget_use(self) -> None:
        """Counts the use of each from now on."""
        for thread in self.by_id.values():
            thread.used_ns = 0


def _run(thread: Thread, schedstat: bytes, status: bytes | None, growth: Growth) -> None:
    cpu_ns, delay_ns = parse_schedstat(schedstat)
    now = parse_thread_status(status) if status else thread.status
    grown_ns = max(0, cpu_ns - thread.cpu_ns)
    growth.add(
        grown_ns,
        max(0, delay_ns - thread.delay_ns),
        max(0, now.switches - thread.status.switches),
        max(0, now.forced - thread.status.forced),
    )
    thread.used_ns += grown_ns
    thread.schedstat, thread.cpu_ns, thread.delay_ns = schedstat, cpu_ns, delay_ns
    thread.status = now
