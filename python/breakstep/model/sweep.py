"""What a closed sweep found out: the records behind the section `sweep` of `result.json`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from breakstep.model.plan import Plan
from breakstep.model.record import Durations, Generator, InFlight, Trust

SweepStop = Literal["done", "errors", "untrusted", "interrupted"]

CONCURRENCY: tuple[int, ...] = (1, 2, 4, 8, 16, 32, 64, 128)
ERRORS_USABLE = 0.01
"""From this share of failures on a level says nothing of the service's throughput."""

Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class SweepPlan:
    """A sweep, fixed. `base` has the target, the scenario and how long levels are held.

    `compare_open` offers the load of the last level's users once more, as an open model.
    """

    base: Plan
    concurrency: tuple[int, ...] = CONCURRENCY
    think_ns: int = 0
    compare_open: bool = False


@dataclass(frozen=True, slots=True)
class Laws:
    """Identities of the closed model against what was measured; None where nothing completed.

    `little_error` is |N̄ − X·R̄| / (X·R̄). `interactive_ms` is N/X − Z, what the mean response
    time has to be, and `interactive_error` how far R̄ is from it, as a share of R̄. `…_allowed` is
    what the edges of the window explain, besides 2 %.
    """

    little_error: float | None
    little_allowed: float | None
    interactive_ms: float | None
    interactive_error: float | None
    interactive_allowed: float | None


@dataclass(frozen=True, slots=True)
class Level:
    """A number of users, measured on its own window. Rates are requests a second, durations ms.

    `connections` is the most that were seen open at once, None where they are not kept open.
    """

    index: int
    concurrency: int
    arrivals: int
    ok: int
    outcomes: Mapping[str, int]
    statuses: Mapping[int, int]
    causes: Mapping[str, int]
    completed_per_s: float
    response_ms: Durations
    service_ms: Durations
    lateness_ms: Durations
    in_flight: InFlight
    laws: Laws
    connections: int | None
    connections_opened: int
    generator: Generator
    window_from: float
    """Start of the measured window, seconds since 1970."""
    window_to: float
    cut_short: str | None
    """Why the hold was ended early, or None."""
    trust: Trust

    @property
    def errors(self) -> float:
        """The share of its arrivals that did not end ok."""
        return 1.0 - self.ok / self.arrivals if self.arrivals else 0.0

    @property
    def unusable(self) -> str | None:
        """Why its throughput is not the service's, or None if it is."""
        if self.cut_short is not None:
            return f"it was {self.cut_short}"
        if self.trust.verdict == "invalid":
            checks = self.trust.checks
            return "; ".join(check.says for check in checks if check.verdict == "invalid")
        if self.completed_per_s <= 0.0:
            return "nothing completed in its window"
        if self.errors >= ERRORS_USABLE:
            return f"{100 * self.errors:.3g} % of its requests failed"
        return None


@dataclass(frozen=True, slots=True)
class ThroughputKnee:
    """The fewest users that bring all the throughput there is, None where it was not reached.

    `highest_per_s` was measured at `highest_at` users.
    """

    concurrency: int | None
    completed_per_s: float | None
    highest_per_s: float | None
    highest_at: int | None
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Usl:
    """The universal scalability law, fitted: X(N) = γN / (1 + α(N − 1) + βN(N − 1)).

    `valid` says whether the law describes the levels; `n_max`, the users at its peak, may be
    withheld even then, and `why` says on what ground. Intervals are at 95 %.
    """

    alpha: float | None
    beta: float | None
    gamma: float | None
    n_max: float | None
    asymptote_per_s: float | None
    alpha_interval: Range | None
    beta_interval: Range | None
    gamma_interval: Range | None
    n_max_interval: Range | None
    levels: int
    valid: bool
    why: str


@dataclass(frozen=True, slots=True)
class Side:
    """One model of load, over a window."""

    sent_per_s: float
    arrivals: int
    ok: int
    timeouts: int
    response_ms: Durations

    @property
    def errors(self) -> float:
        """The share of its arrivals that did not end ok."""
        return 1.0 - self.ok / self.arrivals if self.arrivals else 0.0


@dataclass(frozen=True, slots=True)
class Comparison:
    """The same users as a closed and as an open model.

    `nominal_per_s` = N / (Z + R) with R the response time without load: what so many users ask
    for who do not slow down because the service does. `not_sent` is what of it the closed model
    left out of its window.
    """

    concurrency: int
    think_ms: float
    unloaded_ms: float
    nominal_per_s: float
    window_s: float
    not_sent: int
    closed: Side
    open: Side
    trust: Trust


@dataclass(frozen=True, slots=True)
class Sweep:
    """Everything a sweep found."""

    think_ms: float
    levels: tuple[Level, ...]
    stop_reason: SweepStop
    why: str
    """A clause that completes the stop reason."""
    knee: ThroughputKnee
    usl: Usl
    compare_open: Comparison | None
    notes: tuple[str, ...]
