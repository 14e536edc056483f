"""Values of signals with their units, as people read them."""

from breakstep.analysis.words import percent
from breakstep.model.units import NS_PER_MS, NS_PER_S, format_duration, format_rate

_SIZES = (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3))
TINY = 0.001
_DIGITS = "0123456789"


def quantity(value: float, unit: str) -> str:
    """A value with its unit.

    >>> quantity(0.973, "share"), quantity(3_200_000, "bytes/s"), quantity(12, "count")
    ('97.3 %', '3.2 MB/s', '12')
    """
    if unit == "share":
        return percent(value)
    if unit == "1/s":
        return f"{format_rate(value)}/s"
    if unit in {"s", "ms"}:
        return format_duration(value * (NS_PER_S if unit == "s" else NS_PER_MS))
    if unit in {"bytes", "bytes/s"}:
        return _size(value) + unit.removeprefix("bytes")
    shown = f"under {TINY:g}" if 0.0 < value < TINY else format_rate(value)
    return shown if unit in {"", "count"} else f"{shown} {unit}"


def extent(low: float, high: float, unit: str) -> str:
    """From the lowest to the highest, with the unit once where it is the same.

    >>> extent(0.05, 1.15, "cores"), extent(0.0, 0.0135, "s"), extent(0.0005, 1.2, "s")
    ('0.05 to 1.15 cores', '0 to 13.5 ms', '500 µs to 1.2 s')
    """
    first, last = quantity(low, unit), quantity(high, unit)
    if low == 0.0:
        return f"0 to {last}"
    if _suffix(first) == _suffix(last):
        first = first.removesuffix(_suffix(first))
    return f"{first} to {last}"


def _suffix(text: str) -> str:
    return text[len(text.rstrip("".join(set(text) - set(_DIGITS)))) :]


def _size(value: float) -> str:
    for name, size in _SIZES:
        if value >= size:
            return f"{value / size:.3g} {name}"
    return f"{value:.3g} B"
