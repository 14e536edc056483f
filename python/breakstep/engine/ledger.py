"""The books of one step: what the workers hand over, added up by second and for the hold."""

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


class StepLedger:
    """Adds intervals up; a second is finished when its time and all its arrivals have ended."""

    def __init__(self, phases: Mapping[int, Phase], workers: int) -> None:
        self._phases = phases
        self._workers = workers
        self._open: dict[int, Second] = {}
        self._last_past: Second | None = None
        self._past_ns = 0
        self._ends: dict[int, int] = {}
        self.hold = Tally()
        self.worker_cpu_ns: dict[int, int] = {}
        self.hold_in_flight_max = 0
        """With several workers the sum of each one's most in the same second: an upper bound."""

    def add(self, intervals: Iterable[Interval]) -> None:
        """Adds what the engine handed over."""
        for interval in intervals:
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

    def complete(self, hold_to_ns: int) -> bool:
        """Whether the time up to the end of the hold has passed and all its arrivals ended."""
        load = (second for second in self._open.values() if second.phase != "drain")
        return self._past_ns >= hold_to_ns and not any(load)

    def in_flight_at(self, at_ns: int) -> int:
        """In flight at the end of the second that ended at `at_ns`; 0 before any load."""
        return self._ends.get(at_ns, 0)

    def last_second(self) -> Second | None:
        """The latest second whose time has passed; its arrivals may still be in flight."""
        return self._last_past

    def _add(self, interval: Interval) -> None:
        phase: Phase = "drain" if interval.segment is None else self._phases[interval.segment]
        key = interval.from_ns
        second = self._open.get(key)
        if second is None:
            second = self._open[key] = Second(key, interval.to_ns, phase)
        second.add(interval)
        if phase == "hold":
            self.hold.merge(interval.tally)
            cpu_ns = self.worker_cpu_ns.get(interval.worker, 0) + interval.tally.cpu_ns
            self.worker_cpu_ns[interval.worker] = cpu_ns
            most = sum(second.most_in_flight.values())
            self.hold_in_flight_max = max(self.hold_in_flight_max, most)
        if second.workers_past == self._workers and interval.in_flight_end is not None:
            self._ends[second.to_ns] = second.in_flight_end
            self._past_ns = max(self._past_ns, second.to_ns)
            self._last_past = second

    def _finished(self, second: Second) -> bool:
        return second.workers_past == self._workers and second.all_ended
