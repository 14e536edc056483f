"""How many arrivals left late, as far as the quantiles of a step's lateness tell."""

from itertools import pairwise
from math import ceil

from breakstep.analysis.words import counted
from breakstep.model.record import Durations
from breakstep.report.columns import NOTHING

LATE_MS = 1.0
_KEPT = (
    ("p50", 0.5),
    ("p75", 0.75),
    ("p90", 0.9),
    ("p95", 0.95),
    ("p98", 0.98),
    ("p99", 0.99),
    ("p99_9", 0.999),
    ("p99_99", 0.9999),
    ("max", 1.0),
)


def late_count(lateness: Durations) -> str:
    """How many of the sent arrivals left more than a millisecond late, between two counts.

    Of n arrivals at least ceil(q n) are no later than quantile q, and fewer than that are no
    later than anything below it. So the last quantile within the millisecond and the first beyond
    it bound the number that was later.
    """
    if lateness.count == 0 or lateness.max is None:
        return NOTHING
    if lateness.max <= LATE_MS:
        return "0"
    kept = [(0, 0.0), *((_rank(q, lateness), getattr(lateness, name) or 0.0) for name, q in _KEPT)]
    within, beyond = next(
        (low, high) for (low, _), (high, value_ms) in pairwise(kept) if value_ms > LATE_MS
    )
    most, least = lateness.count - within, lateness.count - beyond + 1
    return counted(most) if most == least else f"{counted(least)}–{counted(most)}"


def _rank(quantile: float, lateness: Durations) -> int:
    return ceil(round(quantile * lateness.count, 6))
