"""One step of load: appended to the schedule, watched, drained, measured on its own window."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from breakstep._engine import Engine, Segment, Tally, intended_requests, intended_starts
from breakstep.engine.ledger import Phase, Second, StepLedger
from breakstep.engine.patience import Patience
from breakstep.model.errors import EngineError
from breakstep.model.plan import Arrivals, Plan, Step
from breakstep.model.units import NS_PER_MS, NS_PER_S

LEAD_NS = 50 * NS_PER_MS
"""Time between saying what is to come and its start, so that every worker hears of it."""
LOOK_NS = 100 * NS_PER_MS
SEED_ROOM = 16
"""More than the parts that a step has."""

INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A step under way. `hold` has what is known of the hold so far."""

    phase: Phase
    elapsed_ns: int
    length_ns: int
    seen_ns: int
    """Of the hold; 0 before it."""
    hold: Tally
    in_flight: int
    in_flight_start: int
    last_second: Second | None


@dataclass(frozen=True, slots=True)
class Window:
    """The judged part of a step. Times are ns on the engine's clock.

    `rows` are those of `Interval.rows`, empty unless the step has looks or the plan several
    requests; `due_ns` the intended starts of the schedule in the window, None without rows.
    `performed` has the request of each, None where there is but one.
    """

    step: Step
    from_ns: int
    to_ns: int
    in_flight_start: int
    rows: bytes
    due_ns: Sequence[int] | None
    performed: Sequence[int] | None = None


@dataclass(frozen=True, slots=True)
class Measurement:
    """What happened to the arrivals of a window."""

    window: Window
    tally: Tally
    in_flight_end: int
    in_flight_max: int
    busiest_worker_cpu_ns: int
    cut_short: str | None
    interrupted: bool

    @property
    def length_s(self) -> float:
        """Of the window, seconds."""
        return (self.window.to_ns - self.window.from_ns) / NS_PER_S


@dataclass(frozen=True, slots=True)
class Watch:
    """What the runner calls while a step goes on.

    `second` gets every finished second. `look` sees the step several times a second and may
    return why its hold should end now. `decided` is asked at each look of the step, `settle_ns`
    after it, whether the arrivals until then are enough. `stopping` says whether the user has had
    enough.
    """

    second: Callable[[Second], None]
    look: Callable[[Snapshot], str | None]
    stopping: Callable[[], bool]
    decided: Callable[[Window], bool] = lambda _window: False
    settle_ns: int = 0


class StepRunner:
    """Runs steps of a plan on its engine, one after another."""

    def __init__(self, engine: Engine, plan: Plan) -> None:
        self._engine = engine
        self._plan = plan

    def run(self, step: Step, watch: Watch) -> Measurement:
        """Offers the step and waits until every arrival has ended. Raises EngineError."""
        start_ns = self._engine.now_ns() + LEAD_NS
        rows = bool(step.looks_ns) or len(self._plan.weights) > 1
        segments = _segments(step, self._plan.arrivals, start_ns, rows=rows)
        phases = {self._append(segment): phase for phase, segment in segments}
        ledger = StepLedger(phases, self._plan.workers)
        schedule = _Schedule([segment for _, segment in segments], self._plan.weights, rows)
        course = _Course(step, ledger, start_ns, schedule)
        while not course.complete():
            if watch.stopping():
                return self._stopped(course, watch)
            self._drain(course)
            for second in course.ledger.take_finished():
                watch.second(second)
            self._look(course, watch)
        return course.measurement(interrupted=False)

    def _append(self, segment: Segment) -> int:
        try:
            return self._engine.append(segment)
        except ValueError as error:
            raise EngineError(f"the load generator refused a step: {error}") from error

    def _drain(self, course: "_Course") -> None:
        try:
            course.ledger.add(self._engine.drain(LOOK_NS))
        except (RuntimeError, OSError) as error:
            raise EngineError(f"the load generator failed: {error}") from error
        over_ns = course.load_end_ns + self._plan.timeout_ns
        course.patience.wait(course.ledger.past_ns, over_ns, self._engine.now_ns())

    def _look(self, course: "_Course", watch: Watch) -> None:
        now_ns = self._engine.now_ns()
        # The tally was read before the number in flight, so that no arrival counts twice.
        reason = watch.look(course.snapshot(now_ns, self._engine.in_flight()))
        if course.over(now_ns):
            return
        if reason is not None:
            course.cut(self._engine.cut(), reason)
        elif course.look_is_due(watch.settle_ns) and watch.decided(course.window_at_look()):
            course.decide(self._engine.cut())

    def _stopped(self, course: "_Course", watch: Watch) -> Measurement:
        at_ns = max(course.hold_ns, min(course.end_ns, self._engine.now_ns()))
        course.ledger.add(self._engine.stop())
        for second in course.ledger.take_finished() + course.ledger.take_rest():
            watch.second(second)
        course.cut(at_ns, INTERRUPTED)
        return course.measurement(interrupted=True)


class _Course:
    """How far a step has come."""

    def __init__(
        self, step: Step, ledger: StepLedger, start_ns: int, schedule: "_Schedule"
    ) -> None:
        self.step = step
        self.ledger = ledger
        self.start_ns = start_ns
        self.hold_ns = start_ns + step.ramp_ns + step.warmup_ns
        self.end_ns = self.hold_ns + step.hold_ns
        """Of the judged window."""
        self.load_end_ns = self.end_ns
        self.cut_short: str | None = None
        self.patience = Patience()
        self._schedule = schedule
        self._looked = 0
        self._decided = False

    def complete(self) -> bool:
        return self.ledger.complete(self.load_end_ns)

    def over(self, now_ns: int) -> bool:
        """Whether nothing is left to end early."""
        return self._decided or self.cut_short is not None or now_ns >= self.end_ns

    def cut(self, at_ns: int, reason: str) -> None:
        self.cut_short = reason
        self.end_ns = self.load_end_ns = max(self.hold_ns, min(self.end_ns, at_ns))

    def look_is_due(self, settle_ns: int) -> bool:
        """Whether the arrivals until the next look can be judged; the last look is the end."""
        if self._looked + 1 >= len(self.step.looks_ns):
            return False
        look_ns = self.hold_ns + self.step.looks_ns[self._looked]
        # What was in flight at the look ends in a later interval: until that was handed over it
        # would count as bad.
        return self.ledger.past_ns >= look_ns + settle_ns

    def window_at_look(self) -> Window:
        self._looked += 1
        return self.window(self.hold_ns + self.step.looks_ns[self._looked - 1])

    def decide(self, at_ns: int) -> None:
        self._decided = True
        self.end_ns = self.hold_ns + self.step.looks_ns[self._looked - 1]
        self.load_end_ns = min(self.load_end_ns, at_ns)

    def window(self, to_ns: int) -> Window:
        """The hold until `to_ns`."""
        due_ns, performed = self._schedule.between(self.hold_ns, to_ns)
        return Window(
            step=self.step,
            from_ns=self.hold_ns,
            to_ns=to_ns,
            in_flight_start=self.ledger.in_flight_at(self.hold_ns),
            rows=self.ledger.rows(self._parts(to_ns)),
            due_ns=due_ns,
            performed=performed,
        )

    def snapshot(self, now_ns: int, in_flight: int) -> Snapshot:
        return Snapshot(
            phase=self._phase(now_ns),
            elapsed_ns=max(0, min(now_ns, self.end_ns) - self.start_ns),
            length_ns=self.end_ns - self.start_ns,
            seen_ns=max(0, min(now_ns, self.end_ns) - self.hold_ns),
            hold=self.ledger.hold,
            in_flight=in_flight,
            in_flight_start=self.ledger.in_flight_at(self.hold_ns),
            last_second=self.ledger.last_second(),
        )

    def measurement(self, *, interrupted: bool) -> Measurement:
        part = self.ledger.parts(self._parts(self.end_ns))
        return Measurement(
            window=self.window(self.end_ns),
            tally=part.tally,
            in_flight_end=self.ledger.in_flight_at(self.end_ns),
            in_flight_max=part.in_flight_max,
            busiest_worker_cpu_ns=max(part.worker_cpu_ns.values(), default=0),
            cut_short=self.cut_short,
            interrupted=interrupted,
        )

    def _parts(self, to_ns: int) -> int:
        """How many parts of the hold begin before an instant."""
        starts = (0, *self.step.looks_ns[:-1])
        return sum(self.hold_ns + start_ns < to_ns for start_ns in starts)

    def _phase(self, now_ns: int) -> Phase:
        if now_ns < self.start_ns + self.step.ramp_ns:
            return "ramp"
        if now_ns < self.hold_ns:
            return "warmup"
        return "hold" if now_ns < self.end_ns else "drain"


@dataclass(frozen=True, slots=True)
class _Schedule:
    """What a step planned; `kept` says whether its arrivals are kept one by one."""

    segments: Sequence[Segment]
    weights: Sequence[float]
    kept: bool

    def between(
        self, from_ns: int, to_ns: int
    ) -> tuple[Sequence[int] | None, Sequence[int] | None]:
        """The intended starts, and what they perform of several requests; None where not kept."""
        if not self.kept:
            return None, None
        starts = intended_starts(self.segments)
        part = slice(bisect_left(starts, from_ns), bisect_left(starts, to_ns))
        if len(self.weights) == 1:
            return starts[part], None
        return starts[part], intended_requests(self.segments, self.weights)[part]


def _segments(
    step: Step, arrivals: Arrivals, start_ns: int, *, rows: bool
) -> list[tuple[Phase, Segment]]:
    """The step as segments: ramp, warm-up, and a part of the hold up to each of its looks."""
    looks = pairwise((0, *(step.looks_ns or (step.hold_ns,))))
    parts: list[tuple[Phase, int, float]] = [
        ("ramp", step.ramp_ns, step.ramp_from_per_s),
        ("warmup", step.warmup_ns, step.rate_per_s),
        *(("hold", to_ns - from_ns, step.rate_per_s) for from_ns, to_ns in looks),
    ]
    segments: list[tuple[Phase, Segment]] = []
    for number, (phase, duration_ns, from_per_s) in enumerate(parts):
        if duration_ns == 0:
            continue
        segment = Segment(
            start_ns=start_ns,
            duration_ns=duration_ns,
            from_per_s=from_per_s,
            to_per_s=step.rate_per_s,
            arrivals=arrivals,
            # The parts of a step are independent; a step's seed has room for their numbers.
            seed=SEED_ROOM * step.seed + number,
            rows=phase == "hold" and rows,
        )
        segments.append((phase, segment))
        start_ns += duration_ns
    return segments
