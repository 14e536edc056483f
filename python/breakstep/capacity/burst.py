"""How far load exceeds its own mean for a moment, from counts of a log.

    n̄, n_.999   mean and 99.9 % quantile of the requests counted in a window
    B = max(1, n_.999 / n̄ − 3.1 / √n̄)

Independent users alone exceed their mean by about 3.1 standard deviations in one window of a
thousand, √n̄ requests each. The breaking load was measured with such arrivals, so that part is
taken off: only what bunches beyond it has to be planned for.
"""

from collections.abc import Sequence
from math import ceil, sqrt

WINDOWS_LEAST = 1000
"""Fewer have no 99.9 % quantile to speak of."""
_QUANTILE, _POISSON_REACH = 0.999, 3.1


def burst_factor(counts: Sequence[int]) -> float:
    """B of the requests counted in consecutive windows. Raises ValueError for too few."""
    if len(counts) < WINDOWS_LEAST:
        msg = f"{len(counts)} counts are too few for a burst: it takes {WINDOWS_LEAST} windows"
        raise ValueError(msg)
    total = sum(counts)
    if total == 0:
        msg = "no request was counted in any window"
        raise ValueError(msg)
    mean = total / len(counts)
    high = sorted(counts)[ceil(_QUANTILE * len(counts)) - 1]
    return max(1.0, high / mean - _POISSON_REACH / sqrt(mean))
