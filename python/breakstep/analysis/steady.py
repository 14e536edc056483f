"""Whether the service is still the one it was: the same light load again and again.

    Y_i   mean response time of the ok arrivals of batch i of b = 20, by intended start
    m, s² mean and variance of ln Y_i
    t     = (m₂ − m₁) / √((s₁² + s₂²)/b)              2(b − 1) degrees of freedom

It has drifted when the chance of such a t is below 1 % and the means differ by more than 10 %.
Both: with many arrivals any difference is significant, with few a large one may be chance.

A first one in which the service paused is no measure for the others: most batches do not know of
the pause, so the mean of the ln Y_i is far from their median, by the same 10 % and by more than
chance: 4·σ/√b, σ = 1.4826·MAD.
"""

from math import exp, log, sqrt

import numpy as np
from numpy.typing import NDArray

from breakstep.analysis.distributions import student_two_sided
from breakstep.analysis.exceedance import BATCHES
from breakstep.analysis.rows import Rows
from breakstep.analysis.words import percent
from breakstep.model.record import Verdict

CHANCE = 0.01
CHANGE = 0.10
PULL = 4.0
MAD_TO_SIGMA = 1.4826
AT_LEAST = 10 * BATCHES


def judge_canary(first: Rows | None, now: Rows) -> Verdict:
    """Passes while the light load is answered as the first time; `first` is None that time."""
    if first is None:
        return _noted(now)
    change = drift(first, now)
    if change is None:
        return Verdict("pass", reasons=("a light load was answered as before",))
    slower = "slower" if change > 0.0 else "faster"
    says = f"a light load was answered {percent(abs(change))} {slower} than at the start"
    return Verdict("fail", reasons=(says,))


def _noted(first: Rows) -> Verdict:
    if np.count_nonzero(first.ok) >= AT_LEAST:
        means = _log_means(first)
        if _pulled(means):
            says = "the service paused at the light load that later ones are compared with"
            return Verdict("invalid", reasons=(says,))
    return Verdict("pass", reasons=("the response time at a light load was noted",))


def _pulled(means: NDArray[np.float64]) -> bool:
    """Whether a few of the batches pull the mean of all away from where most are."""
    middle = np.median(means)
    stray = PULL * MAD_TO_SIGMA * np.median(np.abs(means - middle)) / sqrt(BATCHES)
    return bool(abs(means.mean() - middle) > max(log(1.0 + CHANGE), stray))


def drift(first: Rows, now: Rows) -> float | None:
    """The change of the mean response time as a share, or None while it is not established."""
    if min(np.count_nonzero(first.ok), np.count_nonzero(now.ok)) < AT_LEAST:
        return None
    then, later = _log_means(first), _log_means(now)
    change = float(later.mean() - then.mean())
    error = sqrt((then.var(ddof=1) + later.var(ddof=1)) / BATCHES)
    if abs(change) <= log(1.0 + CHANGE):
        return None
    t = abs(change) / error if error > 0.0 else np.inf
    return exp(change) - 1.0 if student_two_sided(2 * (BATCHES - 1), t) < CHANCE else None


def _log_means(rows: Rows) -> NDArray[np.float64]:
    times_ns = (rows.ended_ns - rows.intended_ns)[rows.ok]
    size = len(times_ns) // BATCHES
    batches = times_ns[: size * BATCHES].reshape(BATCHES, size)
    logs: NDArray[np.float64] = np.log(np.maximum(batches.mean(axis=1), 1.0))
    return logs
