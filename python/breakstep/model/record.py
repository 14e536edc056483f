"""What a run found out: the records behind `result.json`, and their JSON form."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

VerdictName = Literal["pass", "fail", "undecided", "invalid"]
Queue = Literal["stable", "growing", "unknown"]
StopReason = Literal["broken", "ceiling", "floor", "untrusted", "budget", "interrupted"]
Status = Literal["found", "below_floor", "above_ceiling", "inconclusive", "untrusted"]
TrustName = Literal["trusted", "noisy", "invalid"]

FORMAT = "breakstep.result/1"


@dataclass(frozen=True, slots=True)
class Durations:
    """Mean, quantiles and maximum of a duration, ms; None when nothing was recorded."""

    count: int
    mean: float | None
    p50: float | None
    p75: float | None
    p90: float | None
    p95: float | None
    p98: float | None
    p99: float | None
    p99_9: float | None
    p99_99: float | None
    max: float | None


@dataclass(frozen=True, slots=True)
class InFlight:
    """Arrivals due and not finished: over the window, at its start and at its end."""

    mean: float
    max: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """The share of bad arrivals with its one-sided bounds; see docs/method.md for each.

    `effective` is the number of independent arrivals that would tell as much as `arrivals` do:
    arrivals / design effect, less for the few batches it was estimated from.
    """

    arrivals: int
    bad: int
    share: float
    design_effect: float
    effective: float
    lower: float
    upper: float
    allowed: float


@dataclass(frozen=True, slots=True)
class Criterion:
    """One SLO against what was measured. `value` has the unit of `limit`: ms, or a share."""

    slo: str
    value: float | None
    limit: float
    verdict: VerdictName
    says: str
    estimate: Estimate | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a step's own window says about its load."""

    name: VerdictName
    criteria: tuple[Criterion, ...] = ()
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """One self-check of generator or host."""

    name: str
    value: float | None
    limit: float | None
    verdict: TrustName
    says: str


@dataclass(frozen=True, slots=True)
class Trust:
    """Whether generator and host were fit to measure."""

    verdict: TrustName
    checks: tuple[Check, ...] = ()


@dataclass(frozen=True, slots=True)
class Generator:
    """What the load generator itself used over the window; shares are of one core."""

    cpu_share: float
    busiest_worker_share: float
    run_delay_share: float


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """What became of the arrivals of a step that performed one request of several."""

    arrivals: int
    ok: int
    outcomes: Mapping[str, int]
    response_ms: Durations


@dataclass(frozen=True, slots=True)
class StepRecord:
    """A step, measured on its own window. Rates are requests a second, durations ms."""

    index: int
    offered_per_s: float
    arrivals: int
    sent: int
    completed: int
    ok: int
    outcomes: Mapping[str, int]
    statuses: Mapping[int, int]
    causes: Mapping[str, int]
    sent_per_s: float
    completed_per_s: float
    goodput_per_s: float
    response_ms: Durations
    service_ms: Durations
    first_byte_ms: Durations
    lateness_ms: Durations
    generator_lag_ms: Durations
    connect_ms: Durations
    in_flight: InFlight
    queue: Queue
    generator: Generator
    connections_opened: int
    retried: int
    unsolicited: int
    bytes_in: int
    bytes_out: int
    window_from: float
    """Start of the judged window, seconds since 1970."""
    window_to: float
    cut_short: str | None
    """Why the hold was ended early, or None."""
    verdict: Verdict
    trust: Trust
    requests: Mapping[str, RequestRecord] = field(default_factory=dict)
    """By name, in the order of the plan; empty unless it has several."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One pass over the loads."""

    seed: int
    stop_reason: StopReason
    why: str
    """A clause that completes the stop reason."""
    sustainable_per_s: float | None
    broken_per_s: float | None
    steps: tuple[StepRecord, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """The breaking point, or why there is none."""

    status: Status
    sustainable_per_s: float | None
    broken_per_s: float | None
    range_per_s: tuple[float, float] | None = None
    knee_per_s: float | None = None
    knee_interval_per_s: tuple[float, float] | None = None
    capacity_per_s: float | None = None
    caveats: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """Everything a run wrote into `result.json`."""

    id: str
    command: str
    plan: Mapping[str, Any]
    environment: Mapping[str, Any]
    runs: tuple[RunRecord, ...]
    answer: Answer
    trust: Trust
    sections: Mapping[str, Any] = field(default_factory=dict)

    @property
    def steps(self) -> Sequence[StepRecord]:
        """The steps of all runs, one run after another."""
        return tuple(step for run in self.runs for step in run.steps)
