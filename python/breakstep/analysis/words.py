"""How shares, counts and measured-against-bound pairs are written in sentences."""

from breakstep.model.units import NS_PER_MS, format_duration

TINY = 1e-5
ALL = 0.995
"""What two digits would write as 1e+02 %."""


def percent(share: float) -> str:
    """A share as people read it.

    >>> percent(0.0734), percent(0.0), percent(1e-90)
    ('7.34 %', '0 %', 'under 0.001 %')
    """
    if 0.0 < share < TINY:
        return f"under {100 * TINY:g} %"
    return f"{100 * share:.3g} %"


def signed_percent(share: float) -> str:
    """A change in percent with its sign, to two digits below 100 %.

    >>> signed_percent(-0.031), signed_percent(1.234)
    ('−3.1 %', '+123 %')
    """
    digits = ".2g" if abs(share) < ALL else ".0f"
    return f"{100 * share:+{digits}} %".replace("-", "−")


def counted(count: int) -> str:
    """A count with its thousands set apart.

    >>> counted(12_345)
    '12 345'
    """
    return f"{count:,}".replace(",", " ")


def told_apart(value_ns: float, bound_ns: float) -> tuple[str, str]:
    """Two durations, with as many digits as it takes to see which is the longer.

    >>> told_apart(200_400_000, 200_000_000)
    ('200.4 ms', '200 ms')
    """
    value, bound = format_duration(value_ns), format_duration(bound_ns)
    if value == bound and value_ns != bound_ns:
        return f"{value_ns / NS_PER_MS:.7g} ms", f"{bound_ns / NS_PER_MS:.7g} ms"
    return value, bound
