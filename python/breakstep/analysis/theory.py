"""Queues whose breaking load is known exactly; what measurements are held against.

    λ   arrivals a second (Poisson), c servers, mean service time D = 1/μ
    a   = λ/μ, ρ = a/c
    R   response time, W the wait before service

Times below are in units of D, so that μ = 1 and λ = a.
"""

from math import exp, lgamma, log
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Law = Literal["M/M", "M/D"]
LEAST_RHO, RHO_MAX = 1e-6, 0.99
RHO_WIDTH = 1e-5
_TAIL = 16.0
_DENSE_MAX = 3000


def knee_rho(law: Law, servers: int, quantile: float, slo_over_service: float) -> float | None:
    """The ρ at which P(R > slo) = 1 − quantile; None when an idle service is too slow already."""
    tail = {"M/M": mmc_tail, "M/D": mdc_tail}[law]
    low, high = LEAST_RHO, RHO_MAX
    if tail(servers, low, slo_over_service) > 1.0 - quantile:
        return None
    while high - low > RHO_WIDTH:
        middle = 0.5 * (low + high)
        met = tail(servers, middle, slo_over_service) <= 1.0 - quantile
        low, high = (middle, high) if met else (low, middle)
    return low


def erlang_c(servers: int, rho: float) -> float:
    """The probability that an arrival of M/M/c has to wait.

    B₀ = 1, B_k = a·B_{k−1} / (k + a·B_{k−1});  C = B_c / (1 − ρ(1 − B_c))

    >>> round(erlang_c(1, 0.5), 6)
    0.5
    """
    blocked = 1.0
    for k in range(1, servers + 1):
        blocked = servers * rho * blocked / (k + servers * rho * blocked)
    return blocked / (1.0 - rho * (1.0 - blocked))


def mmc_tail(servers: int, rho: float, time: float) -> float:
    """P(R > t) of M/M/c, exponential service, first come first served.

    e^{−t}·[1 + C·(1 − e^{−(c−1−a)t}) / (c − 1 − a)];  at a = c − 1: e^{−t}·(1 + C·t)
    """
    wait, slack = erlang_c(servers, rho), servers - 1.0 - servers * rho
    if abs(slack) < 1e-9:  # noqa: PLR2004  where the quotient is 0/0
        return exp(-time) * (1.0 + wait * time)
    return exp(-time) * (1.0 + wait * (1.0 - exp(-slack * time)) / slack)


def mdc_tail(servers: int, rho: float, time: float) -> float:
    """P(R > t) of M/D/c, constant service (Franx 2001).

    With (k−1) ≤ x < k, in units of D:

    P(W ≤ x) = Σ_{j=0}^{kc−1} Q_{kc−1−j} · Poi(j; a(k − x)),   Q_m = P(at most m wait)
    """
    wait = time - 1.0
    if wait < 0.0:
        return 1.0
    k = int(wait) + 1
    queued = np.cumsum(_mdc_states(servers, rho, (k + 1) * servers))[servers:]
    last = k * servers - 1
    weights = _poisson(servers * rho * (k - wait), last + 1)
    return float(1.0 - np.sum(queued[: last + 1][::-1] * weights))


def _mdc_states(servers: int, rho: float, at_least: int) -> NDArray[np.float64]:
    """The stationary probabilities of the number in an M/D/c system.

    After one D everyone who was in service is gone and Poi(a) have come:
    p_i = Σ_{j≤c} p_j Poi(i; a) + Σ_{j>c} p_j Poi(i − j + c; a). Truncated where nothing is left.
    """
    size = min(_DENSE_MAX, max(at_least, int(servers + _TAIL / (1.0 - rho))) + 1)
    arriving = _poisson(servers * rho, size)
    matrix = np.zeros((size, size))
    for j in range(size):
        start = max(0, j - servers)
        matrix[start:, j] = arriving[: size - start]
    matrix -= np.eye(size)
    matrix[-1, :] = 1.0
    states: NDArray[np.float64] = np.linalg.solve(matrix, np.eye(size)[-1])
    return states


def _poisson(mean: float, count: int) -> NDArray[np.float64]:
    """Poi(0; mean) … Poi(count − 1; mean)."""
    if mean <= 0.0:
        return np.array([1.0] + [0.0] * (count - 1))
    chances = [exp(j * log(mean) - mean - lgamma(j + 1)) for j in range(count)]
    return np.array(chances, np.float64)
