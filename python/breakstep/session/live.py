"""A load under way, for the hopeless rule and for the screen."""

from dataclasses import dataclass, field

from breakstep.analysis.hopeless import HoldSoFar, hopeless
from breakstep.engine.ledger import Second
from breakstep.engine.step_runner import Snapshot
from breakstep.model.plan import Plan, Step
from breakstep.model.units import NS_PER_MS, NS_PER_S
from breakstep.report.progress import Now, Progress
from breakstep.session.guard import HostGuard


@dataclass(slots=True)
class Screen:
    """Shows every new second of one load."""

    progress: Progress
    _shown: Second | None = None

    def look(self, snapshot: Snapshot) -> None:
        """Shows the last second unless it was shown already, or came before the load."""
        second = snapshot.last_second
        if second is None or second is self._shown or second.phase == "drain" != snapshot.phase:
            return
        self._shown = second
        self.progress.now(_now(snapshot, second))


@dataclass(slots=True)
class Onlooker:
    """Looks at a step several times a second: ends it when hopeless, shows every new second."""

    plan: Plan
    step: Step
    progress: Progress
    guard: HostGuard
    saw_hold: bool = False
    _screen: Screen = field(init=False)

    def __post_init__(self) -> None:
        self._screen = Screen(self.progress)

    def look(self, snapshot: Snapshot) -> str | None:
        """Why the hold should end now, or None."""
        self._screen.look(snapshot)
        if snapshot.phase != "hold":
            return None
        if not self.saw_hold:
            self.saw_hold = True
            self.guard.hold_begins()
        if not self.plan.abort or self.step.kind == "canary":
            return None
        # At its looks a step is judged for less than it takes to be sure of a failure here.
        slos = () if self.step.looks_ns else self.plan.slos
        return hopeless(slos, self._hold_so_far(snapshot))

    def _hold_so_far(self, snapshot: Snapshot) -> HoldSoFar:
        return HoldSoFar(
            tally=snapshot.hold,
            rate_per_s=self.step.rate_per_s,
            seen_ns=snapshot.seen_ns,
            hold_ns=self.step.hold_ns,
            in_flight_start=snapshot.in_flight_start,
            in_flight=snapshot.in_flight,
            completed_per_s=_per_s(snapshot.last_second),
            timeout_ns=self.plan.timeout_ns,
        )


def _per_s(second: Second | None) -> float:
    if second is None:
        return 0.0
    return second.tally.completed * NS_PER_S / (second.to_ns - second.from_ns)


def _now(snapshot: Snapshot, second: Second) -> Now:
    tally, length_s = second.tally, (second.to_ns - second.from_ns) / NS_PER_S
    response, lateness = tally.response(), tally.histogram("lateness")
    ended = sum(tally.outcomes.values())

    def quantile_ms(quantile: float) -> float | None:
        return response.quantile_ns(quantile) / NS_PER_MS if response.count else None

    return Now(
        phase=snapshot.phase,
        elapsed_s=snapshot.elapsed_ns / NS_PER_S,
        length_s=snapshot.length_ns / NS_PER_S,
        sent_per_s=tally.sent / length_s,
        completed_per_s=tally.completed / length_s,
        goodput_per_s=tally.good / length_s,
        p50_ms=quantile_ms(0.50),
        p95_ms=quantile_ms(0.95),
        p99_ms=quantile_ms(0.99),
        in_flight=snapshot.in_flight,
        errors=(ended - tally.outcomes["ok"]) / max(1, ended),
        lateness_p99_ms=lateness.quantile_ns(0.99) / NS_PER_MS if lateness.count else None,
        generator_cpu_share=tally.cpu_ns / (length_s * NS_PER_S),
    )
