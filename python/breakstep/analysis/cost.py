"""How much CPU one request takes, from batches of requests one after another.

    cᵢ   CPU of a batch, less what the process takes without requests · the batch's time
    nᵢ   its requests
    b    batches
    mean      Σ cᵢ / Σ nᵢ
    interval  mean ± t_{b−1} · s / √b        s the standard deviation of the cᵢ / nᵢ, at 95 %

One request at a time: nothing waits, nothing is shared, and the machine's other work shows as the
width of the interval.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import stdev

from breakstep.analysis.distributions import student_quantile
from breakstep.model.record import Trust

LEVEL = 0.975
BATCHES_MIN = 3


@dataclass(frozen=True, slots=True)
class Batch:
    """Requests one after another: how many, for how long, and the CPU meanwhile, s."""

    requests: int
    seconds: float
    cpu_s: float


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU for a request, ms, with its interval; None where there were too few batches to tell.

    `idle_cores` is what the source takes without any request.
    """

    source: str
    idle_cores: float
    mean_ms: float | None
    interval_ms: tuple[float, float] | None
    batches: int

    @property
    def ceiling_per_s(self) -> float | None:
        """The requests a second that fill one core; None where the cost is not above zero."""
        return 1000.0 / self.mean_ms if self.mean_ms and self.mean_ms > 0.0 else None


@dataclass(frozen=True, slots=True)
class Costs:
    """What `doctor --cost` found. `failed` counts the requests that did not end ok."""

    url: str
    requests: int
    failed: int
    response_p50_ms: float | None
    costs: tuple[Cost, ...]
    trust: Trust
    interrupted: bool


def cost_of(source: str, batches: Sequence[Batch], idle_cores: float) -> Cost:
    """The CPU for a request over all batches.

    >>> cost_of("app", [Batch(100, 1.0, 0.5)] * 4, 0.1).mean_ms
    4.0
    """
    counted = [batch for batch in batches if batch.requests]
    if len(counted) < BATCHES_MIN:
        return Cost(source, idle_cores, None, None, len(counted))
    own_s = [batch.cpu_s - idle_cores * batch.seconds for batch in counted]
    mean_ms = 1000.0 * sum(own_s) / sum(batch.requests for batch in counted)
    each_ms = [1000.0 * s / batch.requests for s, batch in zip(own_s, counted, strict=True)]
    half_ms = student_quantile(len(counted) - 1, LEVEL) * stdev(each_ms) / sqrt(len(counted))
    return Cost(source, idle_cores, mean_ms, (mean_ms - half_ms, mean_ms + half_ms), len(counted))
