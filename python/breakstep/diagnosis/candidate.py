"""What a hypothesis says when it holds, before it is weighed against the others."""

from dataclasses import dataclass
from typing import Literal

from breakstep.analysis.service_demand import Demand, service_demand
from breakstep.diagnosis.observed import Observed
from breakstep.diagnosis.track import Point, Track
from breakstep.model.finding import Confidence, Evidence, FindingKind

Weight = Literal["shown", "inferred", "possible"]
"""`shown`: signals show it full or failing. `inferred`: only its effect was seen, or it was nearly
full. `possible`: nothing speaks against it."""

FORECAST_LOW, FORECAST_HIGH = 0.9, 1.1
"""A forecast agrees if its interval meets what the service carries, widened by a tenth."""
NEARLY = 0.60
"""Random arrivals queue in front of a resource long before it is full."""
SHARP = 0.3
"""A forecast whose interval is wider than this to either side agrees with anything."""


@dataclass(frozen=True, slots=True)
class Saturation:
    """How a resource stood to its limit.

    `peak` is its use as a share of the limit at the break or beyond, the highest; `demand` is the
    regression on stable loads; `onset_per_s` the load at which its queue rose.
    """

    peak: Point
    demand: Demand | None
    onset_per_s: float | None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A hypothesis that may be true.

    `experiment` would decide for or against it. `broke_first` keeps it from being taken for a
    symptom. `confidence` is its own, where forecast and onset do not apply; `at_most` bounds it
    where a signal is missing that could speak against it.
    """

    kind: FindingKind
    resource: str | None
    weight: Weight
    says: str
    evidence: tuple[Evidence, ...]
    remedy: str
    experiment: str
    saturation: Saturation | None = None
    broke_first: bool = False
    confidence: Confidence | None = None
    at_most: Confidence = "high"


def saturation(
    observed: Observed, use: Track, queue: Track | None, floor: float
) -> Saturation | None:
    """How full a resource was; `use` is a share of its limit. None if it was not sampled there.

    `floor` is the least rise of its queue that counts. Without a queue there is no onset.
    """
    break_per_s = observed.break_per_s
    peak = None if break_per_s is None else use.top(break_per_s)
    if peak is None or break_per_s is None:
        return None
    began = None if queue is None else queue.onset(break_per_s, floor)
    return Saturation(peak, demand_of(observed, use), began)


def demand_of(observed: Observed, use: Track) -> Demand | None:
    """The regression of a share on completions over loads that the service kept up with."""
    pairs = [
        (completed, point.value)
        for point in use.points
        if (completed := _stable_completions(observed, point.per_s)) is not None
    ]
    return service_demand([pair[0] for pair in pairs], [pair[1] for pair in pairs], 1.0)


def forecast_agrees(observed: Observed, found: Saturation) -> bool | None:
    """Whether the forecast says that it fills up where the service breaks; None without one."""
    demand = found.demand
    if demand is None:
        return None
    low, high = demand.interval_per_s
    reach = max(high - demand.saturates_per_s, demand.saturates_per_s - low)
    if reach > SHARP * demand.saturates_per_s:
        return None
    least, most = observed.carries_per_s
    return demand.meets(FORECAST_LOW * least, FORECAST_HIGH * most)


def weight_of(observed: Observed, found: Saturation, full: float) -> Weight | None:
    """How strongly a resource's own signals speak; None if it was far from full.

    It was full, or its queue had risen by the break and it is forecast to fill up there.
    """
    break_per_s = observed.break_per_s or 0.0
    in_time = found.onset_per_s is not None and found.onset_per_s <= break_per_s
    if found.peak.value >= full or (in_time and forecast_agrees(observed, found)):
        return "shown"
    return "possible" if found.peak.value >= NEARLY else None


def _stable_completions(observed: Observed, per_s: float) -> float | None:
    """Mean completions a second at a load, None if its queue grew in a step of it."""
    steps = [seen.step for seen in observed.valid if seen.step.offered_per_s == per_s]
    if any(step.queue == "growing" or step.verdict.name == "fail" for step in steps):
        return None
    return sum(step.completed_per_s for step in steps) / len(steps) if steps else None
