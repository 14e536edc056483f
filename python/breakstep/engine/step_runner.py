"""One step of load: appended to the schedule, watched, drained, measured on its own window."""

from collections.abc import Callable
from dataclasses import dataclass

from breakstep._engine import Engine, Segment, Tally
from breakstep.engine.generator import drain
from breakstep.engine.ledger import Phase, Second, StepLedger
from breakstep.model.errors import EngineError
from breakstep.model.plan import Arrivals, Step
from breakstep.model.units import NS_PER_MS, NS_PER_S

LEAD_NS = 50 * NS_PER_MS
"""Time between saying what is to come and its start, so that every worker hears of it."""
LOOK_NS = 100 * NS_PER_MS
SAFETY_NS = 5 * NS_PER_S
"""Past the hold and the timeout everything has ended; this much later the engine is at fault."""

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
class Measurement:
    """What happened to the arrivals of a hold. Times are ns on the engine's clock."""

    step: Step
    tally: Tally
    from_ns: int
    to_ns: int
    in_flight_start: int
    in_flight_end: int
    in_flight_max: int
    busiest_worker_cpu_ns: int
    cut_short: str | None
    interrupted: bool

    @property
    def length_s(self) -> float:
        """Of the window, seconds."""
        return (self.to_ns - self.from_ns) / NS_PER_S


@dataclass(frozen=True, slots=True)
class Watch:
    """What the runner calls while a step goes on.

    `second` gets every finished second; `look` sees the step several times a second and may
    return why its hold should end now; `stopping` says whether the user has had enough.
    """

    second: Callable[[Second], None]
    look: Callable[[Snapshot], str | None]
    stopping: Callable[[], bool]


class StepRunner:
    """Runs steps on an engine, one after another."""

    def __init__(self, engine: Engine, arrivals: Arrivals, workers: int, timeout_ns: int) -> None:
        self._engine = engine
        self._arrivals = arrivals
        self._workers = workers
        self._timeout_ns = timeout_ns

    def run(self, step: Step, watch: Watch) -> Measurement:
        """Offers the step and waits until every arrival has ended. Raises EngineError."""
        start_ns = self._engine.now_ns() + LEAD_NS
        phases = self._append(step, start_ns)
        hold_ns = start_ns + step.ramp_ns + step.warmup_ns
        course = _Course(step, StepLedger(phases, self._workers), start_ns, hold_ns)
        while not course.ledger.complete(course.end_ns):
            if watch.stopping():
                return self._stopped(course, watch)
            self._drain(course)
            for second in course.ledger.take_finished():
                watch.second(second)
            self._look(course, watch)
        return course.measurement(interrupted=False)

    def _append(self, step: Step, start_ns: int) -> dict[int, Phase]:
        parts: list[tuple[Phase, int, float]] = [
            ("ramp", step.ramp_ns, step.ramp_from_per_s),
            ("warmup", step.warmup_ns, step.rate_per_s),
            ("hold", step.hold_ns, step.rate_per_s),
        ]
        phases: dict[int, Phase] = {}
        for part, (phase, duration_ns, from_per_s) in enumerate(parts):
            if duration_ns == 0:
                continue
            segment = Segment(
                start_ns=start_ns,
                duration_ns=duration_ns,
                from_per_s=from_per_s,
                to_per_s=step.rate_per_s,
                arrivals=self._arrivals,
                # The parts of a step are independent; a step's seed has room for their numbers.
                seed=4 * step.seed + part,
            )
            phases[self._engine.append(segment)] = phase
            start_ns += duration_ns
        return phases

    def _drain(self, course: "_Course") -> None:
        course.ledger.add(drain(self._engine, LOOK_NS))
        if self._engine.now_ns() > course.end_ns + self._timeout_ns + SAFETY_NS:
            raise EngineError(
                "arrivals are unaccounted for after the timeout: this is a bug in breakstep"
            )

    def _look(self, course: "_Course", watch: Watch) -> None:
        now_ns = self._engine.now_ns()
        # Read before the number in flight, so that no arrival counts twice.
        snapshot = course.snapshot(now_ns, self._engine.in_flight())
        reason = watch.look(snapshot)
        if reason is not None and course.cut_short is None and now_ns < course.end_ns:
            course.cut_short = reason
            course.end_ns = min(course.end_ns, self._engine.cut())

    def _stopped(self, course: "_Course", watch: Watch) -> Measurement:
        course.end_ns = max(course.hold_ns, min(course.end_ns, self._engine.now_ns()))
        course.ledger.add(self._engine.stop())
        for second in course.ledger.take_finished() + course.ledger.take_rest():
            watch.second(second)
        course.cut_short = INTERRUPTED
        return course.measurement(interrupted=True)


class _Course:
    """How far a step has come."""

    def __init__(self, step: Step, ledger: StepLedger, start_ns: int, hold_ns: int) -> None:
        self.step = step
        self.ledger = ledger
        self.start_ns = start_ns
        self.hold_ns = hold_ns
        self.end_ns = hold_ns + step.hold_ns
        self.cut_short: str | None = None

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
        return Measurement(
            step=self.step,
            tally=self.ledger.hold,
            from_ns=self.hold_ns,
            to_ns=self.end_ns,
            in_flight_start=self.ledger.in_flight_at(self.hold_ns),
            in_flight_end=self.ledger.in_flight_at(self.end_ns),
            in_flight_max=self.ledger.hold_in_flight_max,
            busiest_worker_cpu_ns=max(self.ledger.worker_cpu_ns.values(), default=0),
            cut_short=self.cut_short,
            interrupted=interrupted,
        )

    def _phase(self, now_ns: int) -> Phase:
        if now_ns < self.start_ns + self.step.ramp_ns:
            return "ramp"
        if now_ns < self.hold_ns:
            return "warmup"
        return "hold" if now_ns < self.end_ns else "drain"
