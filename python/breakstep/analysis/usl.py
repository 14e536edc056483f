"""The universal scalability law (Gunther): throughput of N users on a shared service.

    X(N) = γN / (1 + α(N − 1) + βN(N − 1))

    α   contention: the share of the work that queues for what is shared; 0 … 1
    β   coherence: what each pair of users costs the others; 0 … 1
    γ   throughput a user would have alone, requests a second

Peak at N_max = √((1 − α)/β); with β = 0 there is none, and X tends to γ/α.

Fitted on ln X, because noise is a share of X, by least squares over (α, ln β, ln γ). Intervals by
residual bootstrap: residuals, scaled by √(n/(n − 3)) for the three parameters, are drawn anew on
top of the fit 500 times. They are narrow: with twelve levels up to one and a half times the peak
and 2 % of noise they covered it in 88 of 100 samples. With fewer than a dozen levels they are
narrower still, and called indicative.

Of points that are no closed sweep: an M/M/1 queue with N the mean number in the system fits exactly
α = 0.5, β = 0, γ = μ/2. There α is no share of anything that is serial.

Whether the law describes the levels at all, and whether its peak may be named, is decided by rules;
each refusal has its own words. A hard limit min(γN, X_max) is told by its AIC alone, at least 10
below the law's. In simulation that found 98 to 100 % of hard limits (2, 4, 16 servers, 8 levels,
noise 0.5 to 5 %) and none where the law held. Residuals that run in one direction at the top, the
other sign one could wait for, did so in 20 to 35 % of samples of the law itself, and in as few as
none of those of a hard limit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, inf, log, sqrt

import numpy as np
from numpy.typing import NDArray

from breakstep.model.sweep import Range, Usl
from breakstep.model.units import format_rate

LEVELS_LEAST = 8
SPAN_LEAST = 8.0
SUPERLINEAR = 1.05
REACH_LEAST = 0.7
HARD_LIMIT_AIC = 10.0
NOTHING_SHARE = 1e-3
"""A term below this share of the denominator at the highest level cannot be told from none."""
RESAMPLES = 500
INDICATIVE_BELOW = 12
_LN_BETA_LEAST = -30.0
_NOISE_LEAST = 1e-3
"""Relative; nobody measures throughput better, and a perfect fit would make the AIC infinite."""
_SEED = 1

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Point:
    """Throughput with so many users, requests a second."""

    concurrency: float
    completed_per_s: float


def throughput(concurrency: float, alpha: float, beta: float, gamma: float) -> float:
    """X(N), requests a second.

    >>> throughput(1, 0.05, 5e-4, 100.0)
    100.0
    """
    others = concurrency - 1.0
    return gamma * concurrency / (1.0 + alpha * others + beta * concurrency * others)


def fit_usl(points: Sequence[Point], resamples: int = RESAMPLES) -> Usl:
    """The law fitted to the points, as far as they allow. The same points give the same fit."""
    refusal = _too_few(points)
    if refusal is not None:
        return _refused(len(points), refusal)
    ordered = sorted(points, key=lambda point: point.concurrency)
    n = np.array([point.concurrency for point in ordered])
    ln_x = np.log([point.completed_per_s for point in ordered])
    start = (0.05, log(1e-3), float(ln_x[0] - log(n[0])))
    best = _fit(n, ln_x, start)
    if best is None:
        return _refused(len(points), "the fit did not converge")
    residuals = ln_x - _ln_throughput(n, *best)
    return _judged(n, ln_x, best, _resampled(n, best, residuals, resamples))


def _too_few(points: Sequence[Point]) -> str | None:
    levels = sorted({point.concurrency for point in points})
    if len(levels) < LEVELS_LEAST:
        usable = "1 usable level" if len(levels) == 1 else f"{len(levels)} usable levels"
        return f"{usable}, and it takes {LEVELS_LEAST}: add --concurrency"
    if levels[-1] < SPAN_LEAST * levels[0]:
        return (
            f"levels from {levels[0]:g} to {levels[-1]:g} users span less than a factor of "
            f"{SPAN_LEAST:g}: spread --concurrency wider"
        )
    return None


def _refused(levels: int, why: str) -> Usl:
    return Usl(None, None, None, None, None, None, None, None, None, levels, valid=False, why=why)


def _judged(n: Floats, ln_x: Floats, best: Floats, samples: Floats) -> Usl:
    """The fit with its intervals, and what of it may be said."""
    alpha, beta, gamma = float(best[0]), exp(best[1]), exp(best[2])
    fitted = Usl(
        alpha=alpha,
        beta=beta,
        gamma=gamma,
        n_max=None,
        asymptote_per_s=None,
        alpha_interval=_interval(samples[:, 0]),
        beta_interval=_interval(np.exp(samples[:, 1])),
        gamma_interval=_interval(np.exp(samples[:, 2])),
        n_max_interval=None,
        levels=len(n),
        valid=True,
        why="",
    )
    wrong = _superlinear(n, ln_x) or _hard_limit(n, ln_x, best)
    if wrong is not None:
        return replace(fitted, valid=False, why=wrong)
    if fitted.beta_interval is None or _negligible(fitted.beta_interval[0], alpha, n[-1]):
        return _without_peak(fitted, float(n[-1]))
    peak = sqrt((1.0 - alpha) / beta)
    if peak < n[0]:
        why = f"throughput does not grow from {n[0]:g} on: there is no peak among the levels"
        return replace(fitted, why=_indicative(fitted, why))
    peaks = np.sqrt((1.0 - samples[:, 0]) / np.exp(samples[:, 1]))
    return _with_peak(fitted, float(n[-1]), peak, _interval(peaks))


def _without_peak(fitted: Usl, highest: float) -> Usl:
    why = "no retrograde seen: throughput does not fall with more users as far as was measured"
    alpha, gamma = fitted.alpha or 0.0, fitted.gamma or 0.0
    low = fitted.alpha_interval[0] if fitted.alpha_interval else 0.0
    if low * (highest - 1.0) < NOTHING_SHARE:
        return replace(fitted, why=f"{why}, and no limit shows yet")
    limit = gamma / alpha
    why += f"; it tends to γ/α = {format_rate(limit)}/s"
    return replace(fitted, asymptote_per_s=limit, why=_indicative(fitted, why))


def _with_peak(fitted: Usl, highest: float, peak: float, interval: Range | None) -> Usl:
    if highest < REACH_LEAST * peak:
        why = (
            f"the peak would be near {peak:.0f} users, and the highest level is {highest:g}: "
            "go further with --concurrency before believing it"
        )
        return replace(fitted, why=why)
    why = f"throughput peaks near {peak:.0f} users and falls beyond"
    return replace(fitted, n_max=peak, n_max_interval=interval, why=_indicative(fitted, why))


def _indicative(fitted: Usl, why: str) -> str:
    if fitted.levels >= INDICATIVE_BELOW:
        return why
    return f"{why} (indicative: {fitted.levels} levels make the intervals too narrow)"


def _negligible(beta: float, alpha: float, highest: float) -> bool:
    """Whether β's term is lost in the denominator even at the highest level.

    This is how a fit touches β's bound: below it the gradient is nil, and ln β stays wherever the
    optimiser was when the term vanished.
    """
    term = beta * highest * (highest - 1.0)
    return term < NOTHING_SHARE * (1.0 + alpha * (highest - 1.0) + term)


def _superlinear(n: Floats, ln_x: Floats) -> str | None:
    a_user = np.exp(ln_x) / n
    most = int(np.argmax(a_user))
    if a_user[most] <= SUPERLINEAR * a_user[0]:
        return None
    return (
        f"throughput a user rises from {format_rate(a_user[0])}/s with {n[0]:g} to "
        f"{format_rate(a_user[most])}/s with {n[most]:g}: caches, batching or sleeping cores, "
        "which the law knows nothing of"
    )


def _hard_limit(n: Floats, ln_x: Floats, best: Floats) -> str | None:
    law = float(np.sum((ln_x - _ln_throughput(n, *best)) ** 2))
    hard, limit = _hard_fit(n, ln_x)
    if _aic(law, len(n), 3) - _aic(hard, len(n), 2) < HARD_LIMIT_AIC:
        return None
    return (
        f"throughput grows in proportion and then stands still at {format_rate(limit)}/s: a hard "
        "limit such as a number of workers or connections, which the law does not describe"
    )


def _hard_fit(n: Floats, ln_x: Floats) -> tuple[float, float]:
    """Least squares of ln min(γN, X_max): the sum of squares, and X_max.

    The kink lies between two levels: below it ln X − ln N is constant, above it ln X.
    """
    best = (inf, 0.0)
    for kink in range(1, len(n)):
        ln_gamma, ln_most = np.mean((ln_x - np.log(n))[:kink]), np.mean(ln_x[kink:])
        fitted = np.minimum(ln_gamma + np.log(n), ln_most)
        best = min(best, (float(np.sum((ln_x - fitted) ** 2)), exp(ln_most)))
    return best


def _aic(squares: float, count: int, parameters: int) -> float:
    """Akaike's criterion of a least-squares fit: n·ln(RSS/n) + 2k."""
    return count * log(max(squares / count, _NOISE_LEAST**2)) + 2.0 * parameters


def _resampled(n: Floats, best: Floats, residuals: Floats, resamples: int) -> Floats:
    """The parameters of as many fits to the law plus its own residuals, drawn anew."""
    random = np.random.default_rng(_SEED)
    scale = sqrt(len(n) / (len(n) - 3))
    fitted = _ln_throughput(n, *best)
    fits = (
        _fit(n, fitted + scale * random.choice(residuals, len(n)), best) for _ in range(resamples)
    )
    return np.array([fit for fit in fits if fit is not None])


def _interval(values: Floats) -> Range | None:
    if len(values) == 0:
        return None
    low, high = np.percentile(values, (2.5, 97.5))
    return float(low), float(high)


def _fit(n: Floats, ln_x: Floats, start: Sequence[float] | Floats) -> Floats | None:
    """(α, ln β, ln γ); None when it does not converge."""
    from scipy.optimize import curve_fit  # noqa: PLC0415  slow to load, needed by one command

    bounds = ((0.0, _LN_BETA_LEAST, -inf), (1.0, 0.0, inf))
    try:
        found, _ = curve_fit(_ln_throughput, n, ln_x, p0=start, bounds=bounds, jac=_jacobian)
    except RuntimeError:
        return None
    return np.asarray(found, np.float64)


def _ln_throughput(n: Floats, alpha: float, ln_beta: float, ln_gamma: float) -> Floats:
    denominator = alpha * (n - 1.0) + np.exp(ln_beta) * n * (n - 1.0)
    return np.asarray(ln_gamma + np.log(n) - np.log1p(denominator))


def _jacobian(n: Floats, alpha: float, ln_beta: float, _ln_gamma: float) -> Floats:
    pairs = np.exp(ln_beta) * n * (n - 1.0)
    denominator = 1.0 + alpha * (n - 1.0) + pairs
    return np.stack([-(n - 1.0) / denominator, -pairs / denominator, np.ones_like(n)], axis=1)
