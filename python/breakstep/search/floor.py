"""When every load fails: whether load has anything to do with it."""

from collections.abc import Sequence

from breakstep.analysis.words import percent
from breakstep.model.record import Criterion
from breakstep.model.units import format_rate
from breakstep.search.trials import Trial, counting

APART = 4.0
INDIFFERENT = "load does not matter"
ALIKE = 1.5
"""Shares of bad arrivals whose ratio stays below this do not depend on the load."""


def indifferent(trials: Sequence[Trial]) -> str | None:
    """Why lower loads would fail as well, or None while they might pass.

    Two loads a factor of 4 apart must fail the same SLO with about the same share.
    """
    failed = sorted(
        (trial for trial in counting(trials) if trial.verdict == "fail"),
        key=lambda trial: trial.step.rate_per_s,
    )
    for higher in failed[1:]:
        if higher.step.rate_per_s >= APART * failed[0].step.rate_per_s:
            return _alike(failed[0], higher)
    return None


def _alike(lower: Trial, higher: Trial) -> str | None:
    pairs = zip(lower.record.verdict.criteria, higher.record.verdict.criteria, strict=True)
    for low, high in pairs:
        if low.verdict == high.verdict == "fail" and _same_share(low, high):
            return _says(low, lower.step.rate_per_s, high, higher.step.rate_per_s)
    return None


def _same_share(low: Criterion, high: Criterion) -> bool:
    if low.estimate is None or high.estimate is None or low.estimate.share <= 0.0:
        return False
    return high.estimate.share / low.estimate.share < ALIKE


def _says(low: Criterion, low_per_s: float, high: Criterion, high_per_s: float) -> str:
    shares = [percent(c.estimate.share) for c in (low, high) if c.estimate is not None]
    return (
        f"{low.slo} fails at {format_rate(low_per_s)}/s and at {format_rate(high_per_s)}/s alike "
        f"({' and '.join(shares)} of arrivals are bad): {INDIFFERENT}, look for an error in the "
        "target or in the request"
    )
