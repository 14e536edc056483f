"""Rates as a search offers them."""

from math import floor, log10, sqrt


def legible(rate_per_s: float) -> float:
    """The rate with three significant digits, as it is shown.

    >>> legible(1234.5), legible(0.56789)
    (1230.0, 0.568)
    """
    return round(rate_per_s, 2 - floor(log10(rate_per_s)))


def midway(low_per_s: float, high_per_s: float) -> float:
    """The geometric mean, legible where that still lies between the two."""
    middle = sqrt(low_per_s * high_per_s)
    return legible(middle) if low_per_s < legible(middle) < high_per_s else middle
