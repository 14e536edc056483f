"""Whether a step was the same throughout: its first half against its second.

Both halves offer the same rate, so they should answer alike. Requests in a queue resemble their
neighbours, so they cannot be counted as independent: each half is cut into batches of equal size,
and the batch means of ln R (R response time) are compared by Welch's t.

    t = (ȳ₂ − ȳ₁) / √(s₁²/b + s₂²/b)        b batches a half

A difference is reported if p ≤ 0.01 and it exceeds 5 %: with many requests a trifle is significant.

The rule is for steps whose queue is stable. Where it grows, the second half is slower by nature.
"""

import math
from typing import TYPE_CHECKING

import numpy as np

from breakstep.analysis.words import percent
from breakstep.model.record import Check, TrustName

if TYPE_CHECKING:
    from numpy.typing import NDArray

BATCHES = 10
"""Of each half."""
PER_BATCH = 20
SIGNIFICANCE = 0.01
TRIFLE = 0.05


def halves_checks(response_ns: "NDArray[np.int64]") -> list[Check]:
    """Response times in the order of the intended starts; no check for fewer than 400.

    Of arrivals that never ended leave out none: give the time they were waited for.
    """
    if len(response_ns) < 2 * BATCHES * PER_BATCH:
        return []
    first, second = _batch_means(response_ns)
    difference = math.expm1(float(second.mean() - first.mean()))
    chance = p_value(first, second)
    says = (
        f"the step's second half answered {percent(abs(difference))} "
        f"{'slower' if difference > 0.0 else 'faster'} than its first"
    )
    verdict: TrustName = "trusted"
    if chance <= SIGNIFICANCE and abs(difference) > TRIFLE:
        verdict = "noisy"
        says += (
            f" (p = {chance:.1g}): it had not settled, or something changed meanwhile; "
            "give it a longer --warmup, and repeat"
        )
    return [Check("halves", chance, SIGNIFICANCE, verdict, says)]


def p_value(first: "NDArray[np.float64]", second: "NDArray[np.float64]") -> float:
    """Two-sided, of Welch's t for two samples of equal size."""
    from scipy.special import stdtr  # noqa: PLC0415  a quarter of a second, for whoever needs it

    size = len(first)
    variances = np.array([first.var(ddof=1), second.var(ddof=1)]) / size
    total = float(variances.sum())
    difference = float(second.mean() - first.mean())
    if total <= 0.0:
        return 1.0 if difference == 0.0 else 0.0
    freedom = total**2 * (size - 1) / float((variances**2).sum())
    return float(2.0 * stdtr(freedom, -abs(difference) / math.sqrt(total)))


def _batch_means(
    response_ns: "NDArray[np.int64]",
) -> tuple["NDArray[np.float64]", "NDArray[np.float64]"]:
    size = len(response_ns) // (2 * BATCHES)
    logs = np.log(np.maximum(response_ns[: 2 * BATCHES * size], 1).astype(np.float64))
    means = logs.reshape(2 * BATCHES, size).mean(axis=1)
    return means[:BATCHES], means[BATCHES:]
