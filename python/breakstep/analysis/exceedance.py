"""The share of bad arrivals with bounds that hold although arrivals in a queue are dependent.

    n      arrivals, b = 20 successive batches of equal size
    p̂      the bad share
    deff   = max(1, (s²/b) / (p̂(1 − p̂)/n))      s² the variance of the batches' own shares:
             how much more p̂ strays than that of independent arrivals would
    n_e    = n/deff · (z / t_{b−1})²             effective arrivals; z and t at 1 − level, since
             deff itself is estimated from b batches
    x      = p̂·n_e
    lower  = Beta⁻¹(level; x, n_e − x + 1)        each wrong with probability `level`
    upper  = Beta⁻¹(1 − level; x + 1, n_e − x)    (Korn and Graubard 1998)

With few bad arrivals deff cannot be seen in them. It is *borrowed*: computed as well for the
arrivals over the sample's 90th and 95th percentile where those lie between a fifth of the bound and
the bound, and the largest is taken. The slow arrivals that are not yet bad come in the same bursts.
What strays below a fifth is not on its way to the bound: in a queue's exponential tail a tenth of
arrivals over T/5 is 10⁻⁵ over T. There it is the machine's own hiccups that come in bursts.
"""

from collections.abc import Sequence
from math import inf

import numpy as np
from numpy.typing import NDArray

from breakstep.analysis.distributions import beta_quantile, normal_quantile, student_quantile
from breakstep.analysis.rows import Flags, Rows
from breakstep.analysis.verdict import allowed_share, bound_of
from breakstep.model.record import Estimate, VerdictName
from breakstep.model.slo import Slo

BATCHES = 20
BORROWED = (0.90, 0.95)
BORROWED_FROM = 0.2
"""Of the bound; a percentile below it has nothing to lend."""


def estimate(slo: Slo, rows: Rows, tightest_ns: int | None, level: float) -> Estimate:
    """The share of arrivals that are bad for the SLO; each bound is wrong with chance `level`."""
    bound_ns = bound_of(slo, tightest_ns)
    if bound_ns is None:
        return _estimate(~rows.ok, [], allowed_share(slo), level)
    response_ns = rows.response_ns
    least_ns = BORROWED_FROM * bound_ns
    near = (over for over in _percentiles(response_ns) if least_ns <= over < bound_ns)
    borrowed = [response_ns > over for over in near]
    return _estimate(response_ns > bound_ns, borrowed, allowed_share(slo), level)


def told(estimated: Estimate) -> VerdictName:
    """Pass or fail when a bound lies on that side of what is allowed."""
    if estimated.upper < estimated.allowed:
        return "pass"
    return "fail" if estimated.lower > estimated.allowed else "undecided"


def design_effect(flags: Flags) -> float:
    """How many dependent arrivals tell as much as one independent one; at least 1."""
    size = len(flags) // BATCHES
    share = float(np.mean(flags)) if len(flags) else 0.0
    if size == 0 or share in (0.0, 1.0):
        return 1.0
    # What does not fill a batch is left out at the start, where settling is likeliest.
    shares = flags[len(flags) - size * BATCHES :].reshape(BATCHES, size).mean(axis=1)
    of_mean = float(np.var(shares, ddof=1)) / BATCHES
    return max(1.0, of_mean / (share * (1.0 - share) / len(flags)))


def bounds(share: float, effective: float, level: float) -> tuple[float, float]:
    """The one-sided bounds of a share seen among so many independent arrivals."""
    bad = share * effective
    good = effective - bad
    lower = beta_quantile(level, bad, good + 1.0) if bad > 0.0 else 0.0
    upper = beta_quantile(1.0 - level, bad + 1.0, good) if good > 0.0 else 1.0
    return lower, upper


def _estimate(bad: Flags, borrowed: Sequence[Flags], allowed: float, level: float) -> Estimate:
    arrivals, count = len(bad), int(np.count_nonzero(bad))
    if arrivals < BATCHES:
        return Estimate(arrivals, count, count / max(1, arrivals), 1.0, 0.0, 0.0, 1.0, allowed)
    effect = max(map(design_effect, (bad, *borrowed)))
    effective = arrivals / effect * _few_batches(level)
    lower, upper = bounds(count / arrivals, effective, level)
    return Estimate(arrivals, count, count / arrivals, effect, effective, lower, upper, allowed)


def _few_batches(level: float) -> float:
    """(z / t)²: what it costs to know the design effect from so few batches."""
    ratio = normal_quantile(1.0 - level) / student_quantile(BATCHES - 1, 1.0 - level)
    return ratio * ratio


def _percentiles(response_ns: NDArray[np.float64]) -> list[float]:
    """The sample's own percentiles to borrow from; none of a sample without arrivals."""
    if len(response_ns) == 0:
        return []
    ranks = [min(len(response_ns) - 1, int(q * len(response_ns))) for q in BORROWED]
    found = np.partition(response_ns, ranks)[ranks]
    return [float(over) for over in found if over < inf]
