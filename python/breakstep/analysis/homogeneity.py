"""Whether failures are as likely at every load, which load itself then does not cause.

    x_i of n_i failed at load λ_i; p = Σx/Σn
    χ² = Σ (x_i − n_i·p)² / (n_i·p·(1 − p))            k − 1 degrees of freedom: alike if p > 0.01
    z  = Σ (λ_i − λ̄)(x_i − n_i·p) / √(φ·p(1 − p)·Σ n_i(λ_i − λ̄)²)      φ = max(1, χ²/(k − 1))

z is the score test of the slope in a logistic regression on the load (Cochran and Armitage), with
room for failures that come in groups. Alike as well if |z| < 1.96 and the largest share is less
than 1.5 times the smallest.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

ALIKE_CHANCE = 0.01
SLOPE_SIGMAS = 1.96
RATIO_MAX = 1.5


@dataclass(frozen=True, slots=True)
class Counted:
    """Failures among the arrivals at one load."""

    per_s: float
    failed: int
    arrivals: int

    @property
    def share(self) -> float:
        """Of the arrivals."""
        return self.failed / self.arrivals if self.arrivals else 0.0


def share_of_all(counts: Sequence[Counted]) -> float:
    """The share over all loads together."""
    arrivals = sum(count.arrivals for count in counts)
    return sum(count.failed for count in counts) / arrivals if arrivals else 0.0


def alike(counts: Sequence[Counted]) -> bool:
    """Whether the share does not depend on the load; needs at least two loads."""
    counts = [count for count in counts if count.arrivals > 0]
    if len({count.per_s for count in counts}) < 2:  # noqa: PLR2004
        return False
    share = share_of_all(counts)
    if share in (0.0, 1.0):
        return True
    squares = _chi_square(counts, share)
    if _chance(len(counts) - 1, squares) > ALIKE_CHANCE:
        return True
    excess = max(1.0, squares / (len(counts) - 1))
    return abs(_slope(counts, share)) < SLOPE_SIGMAS * sqrt(excess) and _ratio(counts) < RATIO_MAX


def _chi_square(counts: Sequence[Counted], share: float) -> float:
    return sum(
        (count.failed - count.arrivals * share) ** 2 / (count.arrivals * share * (1.0 - share))
        for count in counts
    )


def _slope(counts: Sequence[Counted], share: float) -> float:
    arrivals = sum(count.arrivals for count in counts)
    centre = sum(count.arrivals * count.per_s for count in counts) / arrivals
    trend = sum(
        (count.per_s - centre) * (count.failed - count.arrivals * share) for count in counts
    )
    spread = sum(count.arrivals * (count.per_s - centre) ** 2 for count in counts)
    return trend / sqrt(share * (1.0 - share) * spread)


def _ratio(counts: Sequence[Counted]) -> float:
    shares = [count.share for count in counts]
    return max(shares) / min(shares) if min(shares) > 0.0 else float("inf")


def _chance(freedom: int, squares: float) -> float:
    from scipy.special import chdtrc  # type: ignore[import-untyped, unused-ignore]  # noqa: PLC0415

    return float(chdtrc(freedom, squares))
