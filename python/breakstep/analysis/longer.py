"""How long a load that stayed undecided would have to be held.

With n arrivals a bound lies h from the measured share p; it narrows as 1/√n. It decides once h is
no more than the distance d of p from what is allowed, after (h/d)² times as long.
"""

from collections.abc import Sequence
from math import ceil

from breakstep.analysis.words import percent
from breakstep.model.record import Criterion, Estimate
from breakstep.model.units import NS_PER_S

WORTH_IT = 20.0
"""Beyond so many times as long the load is as good as at the limit."""
SPARE = 1.3
LEAST = 2.0


def longer(criteria: Sequence[Criterion], held_ns: int) -> str:
    """What to change so that the load is decided."""
    open_ = [c.estimate for c in criteria if c.verdict == "undecided" and c.estimate is not None]
    times = max([LEAST, *(SPARE * _times(estimate) for estimate in open_)])
    if times <= WORTH_IT:
        return f"hold the load longer: --for {ceil(times * held_ns / NS_PER_S)}s"
    shares = ", ".join(f"{percent(e.share)} of {percent(e.allowed)}" for e in open_)
    return (
        f"the load is as good as at the limit (bad arrivals: {shares} allowed): no reasonable "
        "--for decides it; choose a lower --rate or another --slo"
    )


def _times(estimate: Estimate) -> float:
    away = abs(estimate.allowed - estimate.share)
    within = estimate.share < estimate.allowed
    half = estimate.upper - estimate.share if within else estimate.share - estimate.lower
    return (half / away) ** 2 if away > 0.0 else float("inf")
