"""The load at which a signal left its baseline.

    baseline   median of the signal at loads up to 0.75 of the break, the lightest load at least
    MAD        median of |signal − baseline| over the same loads
    onset      the first load with signal > baseline + max(5·MAD, floor) at this load and the next,
               or at the last load of all

By load and not by time: in a staircase everything changes at the edges of the steps. The floor
keeps a signal that never moved, whose MAD is zero, from leaving its baseline by a trifle. Of an
even number the lower median is taken: what rose at half of the calm loads has risen.
"""

from collections.abc import Sequence
from statistics import median_low

BASELINE_SHARE = 0.75
"""Of the breaking load: beyond it queues begin to form on their own."""
DEVIATIONS = 5.0


def onset(points: Sequence[tuple[float, float]], break_per_s: float, floor: float) -> float | None:
    """The first load with the signal risen; `points` are (load, value) by rising load."""
    if len(points) < 2:  # noqa: PLR2004  a rise needs something to rise from
        return None
    calm = [value for load, value in points if load <= BASELINE_SHARE * break_per_s]
    calm = calm or [points[0][1]]
    baseline = median_low(calm)
    deviation = median_low(abs(value - baseline) for value in calm)
    level = baseline + max(DEVIATIONS * deviation, floor)
    risen = [value > level for _, value in points]
    after = [*risen[1:], True]
    both = zip(points, risen, after, strict=True)
    return next((point[0] for point, here, next_too in both if here and next_too), None)
