"""Where the share of bad arrivals crosses what is allowed: a line through ln p̂ of several loads.

    p̂   = (x + ½) / (n_e + 1)      n_e = arrivals / design effect, x = share · n_e
    w    = n_e·p̂ / (1 − p̂)        the inverse of the variance of ln p̂
    W_i  = 1 / (1/w + e_i²)         e_i = 0.05 + 2·(ln p_i − ln α)² for the line being straight
                                     only near the knee, p_i the line's own share there
    ln p̂ = a + b·λ                  weighted least squares over the k steps that are near: not
                                     growing, p̂ within a factor of 20 of what is allowed, α, and
                                     λ no farther from the bracket than it is wide (10 % at least)
                                     nor 1.4 times from where the measured shares cross α
    λ*   = (ln α − a) / b
    s    = √(max(1, χ²/(k−2)) · (1/W + (λ* − λ̄)²/(W·v))) / b
                                     W = Σ W_i, λ̄ and v weighted mean and variance of λ
    interval  λ* ± t_{max(3, k−2)} · s at 95 %, and nothing outside of the bracket

ln p is straight in λ for M/M/1, where p = e^{−(μ−λ)T}, and nearly so near the knee of others. Far
below it bends: p cannot be less than that of a service alone, which many servers show for long.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from breakstep.analysis.distributions import student_quantile
from breakstep.model.record import Criterion, Estimate, StepRecord

NEAR = 20.0
SHARE_MAX = 0.5
"""Above it ln p̂ bends: a share cannot exceed 1."""
MODEL_ERROR = 0.05
LOADS_MIN = 3
NEARBY, FAR = 0.10, 1.4
BEND = 2.0
BENT_PASSES = 2


@dataclass(frozen=True, slots=True)
class Knee:
    """The breaking load, requests a second, and its 95 % interval; `slo` is the one that breaks.

    Without a `slo` no line could be drawn: the interval is the bracket, and the knee the middle of
    the gap in which the measured share itself crosses what is allowed.
    """

    per_s: float
    interval_per_s: tuple[float, float]
    slo: str | None


def knee(steps: Sequence[StepRecord], low_per_s: float, high_per_s: float) -> Knee:
    """The load at which the first SLO breaks, between one that held and one that failed."""
    bracket = (low_per_s, high_per_s)
    slos = dict.fromkeys(c.slo for step in steps for c in step.verdict.criteria)
    near = _near(steps, low_per_s, high_per_s)
    found = [line for slo in slos if (line := _crossing(slo, near)) is not None]
    inside = [_clipped(line, bracket) for line in found if _meets(line, bracket)]
    if not inside:
        gap = crossing_gap(steps, low_per_s, high_per_s)
        return Knee(sqrt(gap[0] * gap[1]), bracket, None)
    return min(inside, key=lambda line: line.per_s)


def crossing_gap(
    steps: Sequence[StepRecord], low_per_s: float, high_per_s: float
) -> tuple[float, float]:
    """The two neighbouring loads of the bracket that best part those over from those within.

    Sure or not, a load is over when more of its arrivals were bad than may be.
    """
    inside = [step for step in steps if low_per_s <= step.offered_per_s <= high_per_s]
    rates = sorted({low_per_s, high_per_s, *(step.offered_per_s for step in inside)})

    def misplaced(gap: tuple[float, float]) -> tuple[int, float]:
        wrong = sum(_over(step) != (step.offered_per_s >= gap[1]) for step in inside)
        return wrong, gap[0] / gap[1]

    return min(pairwise(rates), key=misplaced)


def _over(step: StepRecord) -> bool:
    if step.queue == "growing" or step.verdict.name == "fail":
        return True
    estimates = (criterion.estimate for criterion in step.verdict.criteria)
    return any(found is not None and found.share > found.allowed for found in estimates)


def abrupt(steps: Sequence[StepRecord], width: float) -> bool:
    """Whether two loads at most a width apart go from hardly any bad arrivals to many."""
    seen = sorted(
        (criterion.slo, step.offered_per_s, step.index, criterion.estimate)
        for step in steps
        for criterion in step.verdict.criteria
        if criterion.estimate is not None
    )
    return any(
        slo == other and low < high <= low * (1.0 + width) * (1.0 + 1e-9) and _jump(below, above)
        for slo, low, _, below in seen
        for other, high, _, above in seen
    )


def _jump(below: Estimate, above: Estimate) -> bool:
    allowed = below.allowed
    return below.share < allowed / NEAR and above.share > min(NEAR * allowed, SHARE_MAX)


def _near(steps: Sequence[StepRecord], low_per_s: float, high_per_s: float) -> list[StepRecord]:
    reach = max(high_per_s / low_per_s, 1.0 + NEARBY) * (1.0 + 1e-9)
    gap = crossing_gap(steps, low_per_s, high_per_s)
    least = max(low_per_s / reach, gap[0] / FAR)
    most = min(high_per_s * reach, gap[1] * FAR)
    return [step for step in steps if least <= step.offered_per_s <= most]


def _meets(line: Knee, bracket: tuple[float, float]) -> bool:
    return line.interval_per_s[0] < bracket[1] and line.interval_per_s[1] > bracket[0]


def _clipped(line: Knee, bracket: tuple[float, float]) -> Knee:
    rate, low, high = (
        min(max(value, bracket[0]), bracket[1]) for value in (line.per_s, *line.interval_per_s)
    )
    return Knee(rate, (low, high), line.slo)


def _crossing(slo: str, steps: Sequence[StepRecord]) -> Knee | None:
    points = [
        (step.offered_per_s, criterion.estimate)
        for step in steps
        if step.queue != "growing"
        for criterion in step.verdict.criteria
        if _usable(criterion, slo)
    ]
    if len({rate for rate, _ in points}) < LOADS_MIN:
        return None
    rates = np.array([rate for rate, _ in points])
    estimates = [estimate for _, estimate in points if estimate is not None]
    return _fit(slo, rates, estimates)


def _usable(criterion: Criterion, slo: str) -> bool:
    if criterion.slo != slo or criterion.estimate is None or criterion.estimate.allowed <= 0.0:
        return False
    share, allowed = criterion.estimate.share, criterion.estimate.allowed
    return allowed / NEAR <= share <= min(NEAR * allowed, SHARE_MAX)


def _smoothed(estimate: Estimate) -> tuple[float, float]:
    """p̂, never 0 or 1, and the weight w of its logarithm."""
    effective = estimate.arrivals / estimate.design_effect
    share = (estimate.share * effective + 0.5) / (effective + 1.0)
    return share, effective * share / (1.0 - share)


def _fit(slo: str, rates: NDArray[np.float64], estimates: Sequence[Estimate]) -> Knee | None:
    smoothed = np.array([_smoothed(estimate) for estimate in estimates])
    logs = np.log(smoothed[:, 0]) - log(estimates[0].allowed)
    weights = 1.0 / (1.0 / smoothed[:, 1] + MODEL_ERROR**2)
    line = _Line.through(rates, logs, weights)
    # Again, with what bends away from the line where it crosses counting for less.
    for _ in range(BENT_PASSES):
        if line.slope <= 0.0:
            return None
        bent = MODEL_ERROR + BEND * (line.slope * (rates - line.crossing)) ** 2
        weights = 1.0 / (1.0 / smoothed[:, 1] + bent**2)
        line = _Line.through(rates, logs, weights)
    return None if line.slope <= 0.0 else Knee(line.crossing, line.interval(), slo)


@dataclass(frozen=True, slots=True)
class _Line:
    """A weighted straight line, with what the interval of its root needs; see above."""

    slope: float
    crossing: float
    centre: float
    spread: float
    total: float
    misfit: float
    freedom: int

    @classmethod
    def through(
        cls, rates: NDArray[np.float64], logs: NDArray[np.float64], weights: NDArray[np.float64]
    ) -> "_Line":
        centre, middle = np.average(rates, weights=weights), np.average(logs, weights=weights)
        spread = np.average((rates - centre) ** 2, weights=weights)
        slope = float(np.average((rates - centre) * logs, weights=weights) / spread)
        misfit = float(np.sum(weights * (logs - middle - slope * (rates - centre)) ** 2))
        crossing = float(centre - middle / slope) if slope > 0.0 else float(centre)
        return cls(
            slope,
            crossing,
            float(centre),
            float(spread),
            float(weights.sum()),
            misfit,
            len(rates) - 2,
        )

    def interval(self) -> tuple[float, float]:
        away = (self.crossing - self.centre) ** 2 / self.spread
        variance = max(1.0, self.misfit / self.freedom) * (1.0 + away) / self.total
        reach = student_quantile(max(3, self.freedom), 0.975) * sqrt(variance) / self.slope
        return self.crossing - reach, self.crossing + reach
