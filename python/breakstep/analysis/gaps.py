"""Whether the gaps between sends are exponential, as those of Poisson arrivals are.

Anderson and Darling's A² against the law, with the mean of the sample:

    z_i  = F(x_i)                  x_1 ≤ … ≤ x_n sums of gaps, F Erlang's with the mean of the x
    A²   = −n − (1/n)·Σ (2i − 1)·(ln z_i + ln(1 − z_{n+1−i}))
    A*   = A²·(1 + 0.6/n)          1.957 at 1 % for single gaps (Stephens 1974)

A breach is A* > 2 · 1.957, as a test at n = 5 000 sees trifles. A sleeping generator sends some
tenths of a millisecond late at worst, and what was due within that time leaves together: gaps
shorter than that are not exponential at any rate. So as many successive gaps are added up as make
a mean of 10 ms, two at least, and their sums are held against the law of such sums, Erlang's.

As with the dispersion, what was sent stands beside what was intended: a wrong schedule is a bug,
wrong sends were late for whatever reason.
"""

from math import ceil
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammainc, gammaincc

from breakstep.analysis.words import counted
from breakstep.model.record import Check, TrustName
from breakstep.model.units import NS_PER_MS

if TYPE_CHECKING:
    from numpy.typing import NDArray

CRITICAL = 1.957
ALLOWED = 2.0 * CRITICAL
GAPS_MAX = 5_000
GAPS_MIN = 100
MEAN_NS = 10 * NS_PER_MS
GAPS_EACH_MIN = 2


def gaps_checks(intended_ns: "NDArray[np.int64]", sent_ns: "NDArray[np.int64]") -> list[Check]:
    """One check, none of a step with few arrivals; instants of Poisson arrivals, in any order."""
    planned, sent = (_sums(at_ns) for at_ns in (intended_ns, sent_ns))
    if min(len(planned[0]), len(sent[0])) < GAPS_MIN:
        return []
    found = anderson_darling(*sent)
    says = (
        f"gaps between sends differ from those of random arrivals by A² = {found:.2g} "
        f"(over {counted(len(sent[0]))})"
    )
    verdict: TrustName = "trusted"
    if anderson_darling(*planned) > ALLOWED:
        verdict = "invalid"
        says += ": the schedule itself is wrong, which is a bug in breakstep"
    elif found > ALLOWED:
        verdict = "noisy"
        says += ": requests left late and bunched; see the lateness of the step"
    return [Check("gaps", found, ALLOWED, verdict, says)]


def anderson_darling(sums: "NDArray[np.float64]", gaps_each: int) -> float:
    """A* of sums of so many exponential gaps each."""
    count, ordered = len(sums), np.sort(sums)
    scaled = gaps_each * ordered / ordered.mean()
    tiny = np.finfo(np.float64).tiny
    below = np.log(np.maximum(tiny, gammainc(gaps_each, scaled)))
    above = np.log(np.maximum(tiny, gammaincc(gaps_each, scaled)))
    weights = 2.0 * np.arange(1, count + 1) - 1.0
    squared = -count - float(np.sum(weights * (below + above[::-1]))) / count
    return squared * (1.0 + 0.6 / count)


def _sums(at_ns: "NDArray[np.int64]") -> "tuple[NDArray[np.float64], int]":
    """Sums of successive gaps, and how many each has."""
    gaps = np.diff(np.sort(at_ns)).astype(np.float64)
    if len(gaps) == 0 or gaps.mean() <= 0.0:
        return np.empty(0), 1
    each = max(GAPS_EACH_MIN, ceil(MEAN_NS / gaps.mean()))
    whole = min(GAPS_MAX, len(gaps) // each)
    return gaps[: whole * each].reshape(whole, each).sum(axis=1), each
