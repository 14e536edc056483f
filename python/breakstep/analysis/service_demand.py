"""What a request asks of a resource, and the load at which the resource would be full.

    X    completed requests a second, one value a load
    U    use of the resource at that load, in its own unit; m its limit
    U = a + D·X         least squares with an intercept: a is what goes on without any load
    λ_sat = (m − a)/D   the load that fills it

The interval of λ_sat is Fieller's: every λ for which the line may be at m,

    (m − a − D·λ)² ≤ t²·s²·(1/n + (λ − x̄)²/S_xx)      t at 95 % with n − 2 degrees of freedom

U/X without the intercept would overrate the demand at light load. If a square term is significant
(p < 0.01) a request asks for more as the load grows: contention, said in `bends`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from breakstep.analysis.distributions import student_quantile, student_two_sided

if TYPE_CHECKING:
    from numpy.typing import NDArray

LOADS_MIN = 4
"""Fewer leave a line no chance to be wrong."""
BENT_LOADS_MIN = 5
BENT_CHANCE = 0.01


@dataclass(frozen=True, slots=True)
class Demand:
    """A resource's demand: `per_request` is D (unit · s), `background` is a."""

    per_request: float
    background: float
    saturates_per_s: float
    interval_per_s: tuple[float, float]
    loads: int
    bends: bool

    def meets(self, low_per_s: float, high_per_s: float) -> bool:
        """Whether the interval has something in common with these loads."""
        return self.interval_per_s[0] <= high_per_s and self.interval_per_s[1] >= low_per_s


def service_demand(
    completed_per_s: Sequence[float], use: Sequence[float], limit: float
) -> Demand | None:
    """The demand from one pair a load; None with fewer than four loads or without a slope."""
    x, u = (np.asarray(values, dtype=np.float64) for values in (completed_per_s, use))
    if len(np.unique(x)) < LOADS_MIN:
        return None
    centre, level = float(x.mean()), float(u.mean())
    spread = float(((x - centre) ** 2).sum())
    slope = float(((x - centre) * (u - level)).sum()) / spread
    misfit = float(((u - level - slope * (x - centre)) ** 2).sum()) / (len(x) - 2)
    reach = student_quantile(len(x) - 2, 0.975) ** 2 * misfit
    if slope <= 0.0 or slope * slope <= reach / spread:
        return None
    interval = _fieller(slope, limit - level, reach / len(x), reach / spread)
    return Demand(
        per_request=slope,
        background=level - slope * centre,
        saturates_per_s=centre + (limit - level) / slope,
        interval_per_s=(centre + interval[0], centre + interval[1]),
        loads=len(x),
        bends=_bends(x - centre, u),
    )


def _fieller(slope: float, rise: float, at_centre: float, away: float) -> tuple[float, float]:
    """The roots d of (rise − slope·d)² = at_centre + away·d²; slope² > away."""
    a, b, c = slope * slope - away, slope * rise, rise * rise - at_centre
    root = sqrt(max(0.0, b * b - a * c))
    return (b - root) / a, (b + root) / a


def _bends(x: "NDArray[np.float64]", u: "NDArray[np.float64]") -> bool:
    """Whether the square term of a parabola is above zero beyond chance."""
    freedom = len(x) - 3
    if len(x) < BENT_LOADS_MIN or np.ptp(x) <= 0.0:
        return False
    scaled = x / np.ptp(x)
    design = np.column_stack([np.ones_like(scaled), scaled, scaled**2])
    fitted, _, rank, _ = np.linalg.lstsq(design, u, rcond=None)
    misfit = float(((u - design @ fitted) ** 2).sum()) / freedom
    if rank < design.shape[1] or fitted[2] <= 0.0:
        return False
    error = sqrt(misfit * float(np.linalg.inv(design.T @ design)[2, 2]))
    if error <= 1e-12 * abs(float(fitted[2])):
        # No scatter at all: a bend counts if it is more than rounding.
        return bool(fitted[2] > 1e-6 * np.ptp(u))
    return student_two_sided(freedom, float(fitted[2]) / error) < BENT_CHANCE
