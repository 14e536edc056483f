"""One level of a closed sweep: so many users on the running engine, measured on the hold's window.

Warm-up and hold are one segment, so that its users stay: a segment of its own for the hold would
start so many users anew beside those who still wait for their last answer. The engine keeps its
books by the second from the segment's start, so a warm-up is a whole number of seconds.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from breakstep._engine import Engine, Interval, Segment, Tally
from breakstep.engine.generator import drain
from breakstep.engine.ledger import Phase, Second, StepLedger
from breakstep.engine.patience import Patience
from breakstep.engine.step_runner import LEAD_NS, LOOK_NS, Snapshot
from breakstep.model.units import NS_PER_S

_SOCKETS = Path("/proc/self/fd")


@dataclass(frozen=True, slots=True)
class ClosedLoad:
    """So many users, each with a pause of `think_ns` between an answer and the next request."""

    index: int
    concurrency: int
    think_ns: int
    warmup_ns: int
    hold_ns: int


@dataclass(frozen=True, slots=True)
class ClosedMeasurement:
    """What happened to the arrivals of a hold. Times are ns on the engine's clock.

    `sockets` is the most this process had open during the hold.
    """

    load: ClosedLoad
    tally: Tally
    warmup: Tally
    from_ns: int
    to_ns: int
    in_flight_start: int
    in_flight_end: int
    in_flight_max: int
    busiest_worker_cpu_ns: int
    sockets: int
    interrupted: bool

    @property
    def length_s(self) -> float:
        """Of the window, seconds."""
        return (self.to_ns - self.from_ns) / NS_PER_S


def whole_seconds(duration_ns: int) -> int:
    """The duration rounded up to whole seconds, ns.

    >>> whole_seconds(300_000_000)
    1000000000
    """
    return -(-duration_ns // NS_PER_S) * NS_PER_S


def open_sockets() -> int:
    """How many sockets this process has open now: the engine's connections, and a few others."""
    count = 0
    for entry in _SOCKETS.iterdir():
        try:
            count += str(entry.readlink()).startswith("socket:")
        except OSError:  # closed since it was listed
            continue
    return count


@dataclass(frozen=True, slots=True)
class ClosedRunner:
    """Runs levels on an engine, one after another.

    `second` gets every finished second; `look` sees the level several times a second.
    """

    engine: Engine
    workers: int
    timeout_ns: int
    second: Callable[[ClosedLoad, Second], None]
    look: Callable[[Snapshot], None]
    stopping: Callable[[], bool]

    def run(self, load: ClosedLoad) -> ClosedMeasurement:
        """Offers the level and waits until nothing of it is in flight. Raises EngineError."""
        start_ns = self.engine.now_ns() + LEAD_NS
        segment = Segment(
            start_ns=start_ns,
            duration_ns=load.warmup_ns + load.hold_ns,
            concurrency=load.concurrency,
            think_ns=load.think_ns,
        )
        course = _Course(load, self.engine.append(segment), start_ns, self.workers)
        patience = Patience()
        while not course.complete():
            if self.stopping():
                return self._stopped(course)
            course.add(drain(self.engine, LOOK_NS))
            self._keep(course, course.take_finished())
            now_ns = self.engine.now_ns()
            course.count_sockets(now_ns)
            self.look(course.snapshot(now_ns, self.engine.in_flight()))
            patience.wait(course.past_ns, course.end_ns + self.timeout_ns, now_ns)
        return course.measurement(interrupted=False)

    def _stopped(self, course: "_Course") -> ClosedMeasurement:
        course.end_ns = max(course.hold_ns, min(course.end_ns, self.engine.now_ns()))
        course.add(self.engine.stop())
        self._keep(course, course.take_finished() + course.take_rest())
        return course.measurement(interrupted=True)

    def _keep(self, course: "_Course", seconds: Iterable[Second]) -> None:
        for second in seconds:
            self.second(course.load, second)


class _Course:
    """How far a level has come: the books of its warm-up, and those of its hold."""

    def __init__(self, load: ClosedLoad, segment: int, start_ns: int, workers: int) -> None:
        self.load = load
        self.start_ns = start_ns
        self.hold_ns = start_ns + load.warmup_ns
        self.end_ns = self.hold_ns + load.hold_ns
        self._segment = segment
        self._warmup = StepLedger({segment: "warmup"}, workers)
        self._hold = StepLedger({segment: "hold"}, workers)
        self._warmup_tally = Tally()
        self._cpu_ns: dict[int, int] = {}
        self._in_flight_max = 0
        self._sockets = 0
        self._count_at_ns = self.hold_ns

    def add(self, intervals: Iterable[Interval]) -> None:
        """Adds what the engine handed over, except what belongs to earlier load."""
        for interval in intervals:
            if interval.segment not in (None, self._segment):
                continue
            if interval.from_ns < self.hold_ns:
                self._add_warmup(interval)
            else:
                self._add_hold(interval)

    def take_finished(self) -> list[Second]:
        return self._warmup.take_finished() + self._seen(self._hold.take_finished())

    def take_rest(self) -> list[Second]:
        return self._warmup.take_rest() + self._seen(self._hold.take_rest())

    @property
    def past_ns(self) -> int:
        """Until here every worker has told what became of the hold."""
        return self._hold.past_ns

    def complete(self) -> bool:
        """Whether the hold is over and all arrivals of warm-up and hold have ended."""
        warmed = self.load.warmup_ns == 0 or self._warmup.complete(self.hold_ns)
        return warmed and self._hold.complete(self.end_ns)

    def count_sockets(self, now_ns: int) -> None:
        """Once a second of the hold: with thousands of connections the count is not free."""
        if self._count_at_ns <= now_ns < self.end_ns:
            self._sockets = max(self._sockets, open_sockets())
            self._count_at_ns = now_ns + NS_PER_S

    def snapshot(self, now_ns: int, in_flight: int) -> Snapshot:
        return Snapshot(
            phase=self._phase(now_ns),
            elapsed_ns=max(0, min(now_ns, self.end_ns) - self.start_ns),
            length_ns=self.end_ns - self.start_ns,
            seen_ns=max(0, min(now_ns, self.end_ns) - self.hold_ns),
            hold=self._hold.hold,
            in_flight=in_flight,
            in_flight_start=self._warmup.in_flight_at(self.hold_ns),
            last_second=self._hold.last_second() or self._warmup.last_second(),
        )

    def measurement(self, *, interrupted: bool) -> ClosedMeasurement:
        part = self._hold.parts(1)
        return ClosedMeasurement(
            load=self.load,
            tally=part.tally,
            warmup=self._warmup_tally,
            from_ns=self.hold_ns,
            to_ns=self.end_ns,
            in_flight_start=self._warmup.in_flight_at(self.hold_ns),
            in_flight_end=self._hold.in_flight_at(self.end_ns),
            in_flight_max=part.in_flight_max,
            busiest_worker_cpu_ns=max(part.worker_cpu_ns.values(), default=0),
            sockets=self._sockets,
            interrupted=interrupted,
        )

    def _phase(self, now_ns: int) -> Phase:
        if now_ns < self.hold_ns:
            return "warmup"
        return "hold" if now_ns < self.end_ns else "drain"

    def _add_warmup(self, interval: Interval) -> None:
        if interval.segment is not None:
            self._warmup_tally.merge(interval.tally)
        self._warmup.add([interval])

    def _add_hold(self, interval: Interval) -> None:
        if interval.segment is not None:
            cpu_ns = self._cpu_ns.get(interval.worker, 0) + interval.tally.cpu_ns
            self._cpu_ns[interval.worker] = cpu_ns
        self._hold.add([interval])

    def _seen(self, seconds: list[Second]) -> list[Second]:
        """With several workers the sum of each one's most in a second: an upper bound."""
        most = (sum(x.most_in_flight.values()) for x in seconds if x.phase == "hold")
        self._in_flight_max = max(self._in_flight_max, *most, 0)
        return seconds
