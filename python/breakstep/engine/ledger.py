"""The books of one step: what the workers hand over, added up by second and by part of the hold."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from breakstep._engine import Interval, Tally

Phase = Literal["ramp", "warmup", "hold", "drain"]


@dataclass(slots=True)
class Second:
    """Up to a second of the step, all workers together. Times are ns on the engine's clock."""

    from_ns: int
    to_ns: int
    phase: Phase
    tally: Tally = field(default_factory=Tally)
    in_flight_end: int = 0
    workers_past: int = 0
    most_in_flight: dict[int, int] = field(default_factory=dict)
    """By worker."""

    def add(self, interval: Interval) -> None:
        """Adds what one worker handed over."""
        self.to_ns = interval.to_ns
        self.tally.merge(interval.tally)
        most = max(self.most_in_flight.get(interval.worker, 0), interval.tally.in_flight_max)
        self.most_in_flight[interval.worker] = most
        if interval.in_flight_end is not None:
            self.in_flight_end += interval.in_flight_end
            self.workers_past += 1

    @property
    def all_ended(self) -> bool:
        """Whether every arrival due in it so far has an outcome."""
        return sum(self.tally.outcomes.values()) == self.tally.arrivals


@dataclass(slots=True)
class Part:
    """A part of the hold: what belongs to its arrivals, and what the workers used meanwhile."""

    tally: Tally = field(default_factory=Tally)
    worker_cpu_ns: dict[int, int] = field(default_factory=dict)
    in_flight_max: int = 0
    """With several workers the sum of each one's most in the same second: an upper bound."""
    rows: list[bytes] = field(default_factory=list)

    def add(self, interval: Interval, second: Second) -> None:
        """Adds what one worker handed over of a second of this part."""
        self.tally.merge(interval.tally)
        self._use(interval.worker, interval.tally.cpu_ns)
        self.in_flight_max = max(self.in_flight_max, sum(second.most_in_flight.values()))
        if interval.rows:
            self.rows.append(interval.rows)

    def merge(self, other: "Part") -> None:
        """Adds another part's sums; rows are not copied, see `StepLedger.rows`."""
        self.tally.merge(other.tally)
        for worker, cpu_ns in other.worker_cpu_ns.items():
            self._use(worker, cpu_ns)
        self.in_flight_max = max(self.in_flight_max, other.in_flight_max)

    def _use(self, worker: int, cpu_ns: int) -> None:
        self.worker_cpu_ns[worker] = self.worker_cpu_ns.get(worker, 0) + cpu_ns


class StepLedger:
    """Adds intervals up; a second is finished when its time and all its arrivals have ended.

    `phases` says what each segment of the step is; a hold of several segments has several parts.
    """

    def __init__(self, phases: Mapping[int, Phase], workers: int) -> None:
        self._phases = phases
        self._workers = workers
        self._open: dict[int, Second] = {}
        self._last_past: Second | None = None
        self._ends: dict[int, int] = {}
        holds = (segment for segment, phase in phases.items() if phase == "hold")
        self._parts = {segment: Part() for segment in sorted(holds)}
        self.past_ns = 0
        """Until here every worker has told everything but the ends of what is in flight."""
        self.hold = Tally()
        """All parts together."""

    def add(self, intervals: Iterable[Interval]) -> None:
        """Adds what the engine handed over of this step.

        The last a worker says of the load before may come late, when nobody waits for it any more.
        """
        for interval in intervals:
            if interval.segment is None or interval.segment in self._phases:
                self._add(interval)

    def take_finished(self) -> list[Second]:
        """The seconds finished since the last call, in order; they leave the books."""
        finished = [second for second in self._open.values() if self._finished(second)]
        for second in finished:
            del self._open[second.from_ns]
        return sorted(finished, key=lambda second: second.from_ns)

    def take_rest(self) -> list[Second]:
        """The seconds that will never be finished, because the engine has stopped."""
        rest = sorted(self._open.values(), key=lambda second: second.from_ns)
        self._open.clear()
        return rest

    def complete(self, load_to_ns: int) -> bool:
        """Whether the time up to the end of the load has passed and all its arrivals ended."""
        load = (second for second in self._open.values() if second.phase != "drain")
        return self.past_ns >= load_to_ns and not any(load)

    def parts(self, count: int) -> Part:
        """The first parts of the hold together."""
        together = Part()
        for part in list(self._parts.values())[:count]:
            together.merge(part)
        return together

    def rows(self, count: int) -> bytes:
        """The rows of the first parts of the hold."""
        parts = list(self._parts.values())[:count]
        return b"".join(row for part in parts for row in part.rows)

    def in_flight_at(self, at_ns: int) -> int:
        """In flight at the end of the second that ended at `at_ns`; 0 before any load."""
        return self._ends.get(at_ns, 0)

    def last_second(self) -> Second | None:
        """The latest second whose time has passed; its arrivals may still be in flight."""
        return self._last_past

    def _add(self, interval: Interval) -> None:
        phase: Phase = "drain" if interval.segment is None else self._phases[interval.segment]
        second = self._open.get(interval.from_ns)
        if second is None:
            second = Second(interval.from_ns, interval.to_ns, phase)
            self._open[interval.from_ns] = second
        second.add(interval)
        if interval.segment in self._parts:
            self.hold.merge(interval.tally)
            self._parts[interval.segment].add(interval, second)
        if second.workers_past == self._workers and interval.in_flight_end is not None:
            self._pass(second)

    def _pass(self, second: Second) -> None:
        self._ends[second.to_ns] = second.in_flight_end
        self.past_ns = max(self.past_ns, second.to_ns)
        self._last_past = second

    def _finished(self, second: Second) -> bool:
        return second.workers_past == self._workers and second.all_ended
