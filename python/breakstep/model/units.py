"""Durations are integer nanoseconds, rates are requests a second; this is how people write them."""

import re

NS_PER_US = 1_000
NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000
LONGEST_NS = 7 * 24 * 3600 * NS_PER_S
HIGHEST_PER_S = 1e7

_UNITS_NS = {
    "ns": 1,
    "us": NS_PER_US,
    "µs": NS_PER_US,
    "ms": NS_PER_MS,
    "s": NS_PER_S,
    "m": 60 * NS_PER_S,
    "h": 3600 * NS_PER_S,
}
_WHOLE_FROM = 100
SHOWN_AS_WHOLE = 0.9995
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)")


def parse_duration(text: str) -> int:
    """Nanoseconds of a duration such as `200ms`, `5s`, `1.5s` or `3m`.

    Raises ValueError when the text is not one number with a unit.

    >>> parse_duration("200ms")
    200000000
    """
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        msg = f"{text!r} is not a duration: write a number with a unit, such as 200ms, 5s or 3m"
        raise ValueError(msg)
    duration_ns = round(float(match[1]) * _UNITS_NS[match[2]])
    if duration_ns > LONGEST_NS:
        msg = f"{text!r} is longer than a week"
        raise ValueError(msg)
    return duration_ns


def format_duration(value_ns: float) -> str:
    """A duration with three significant digits and the unit that suits it.

    >>> format_duration(204_800_000), format_duration(999_900_000)
    ('205 ms', '1 s')
    """
    for unit, size in (("s", NS_PER_S), ("ms", NS_PER_MS), ("µs", NS_PER_US)):
        # What would be written as 1 000 of the smaller unit is 1 of this.
        if value_ns >= SHOWN_AS_WHOLE * size:
            return f"{_three_digits(value_ns / size)} {unit}"
    return f"{value_ns:.0f} ns"


def exact_duration(value_ns: int) -> str:
    """A duration as it is given, with no digit lost.

    >>> exact_duration(1_234_000_000), exact_duration(2_000_000_000)
    ('1234ms', '2s')
    """
    for unit, size in (("s", NS_PER_S), ("ms", NS_PER_MS), ("us", NS_PER_US)):
        if value_ns and value_ns % size == 0:
            return f"{value_ns // size}{unit}"
    return f"{value_ns}ns"


def parse_rate(text: str) -> float:
    """Requests a second of a number such as `150` or `2.5`; `150/s` is the same.

    Raises ValueError when it is not a number above zero.
    """
    try:
        rate = float(text.strip().removesuffix("/s"))
    except ValueError:
        rate = 0.0
    if not 0.0 < rate < float("inf"):
        msg = f"{text!r} is not a rate: write requests a second, such as 150"
        raise ValueError(msg)
    if rate > HIGHEST_PER_S:
        msg = f"{text!r} is more than any machine sends: at most {HIGHEST_PER_S:g} a second"
        raise ValueError(msg)
    return rate


def format_rate(rate_per_s: float) -> str:
    """A rate with three significant digits, whole from 100 on.

    >>> format_rate(1234.5), format_rate(42.06)
    ('1 234', '42.1')
    """
    return _three_digits(rate_per_s)


def _three_digits(value: float) -> str:
    if value >= _WHOLE_FROM:
        return f"{value:,.0f}".replace(",", " ")
    return f"{value:.3g}"
