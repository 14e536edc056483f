"""The tightest bounds that this host can judge: lateness at a quantile is at most 5 % of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from breakstep.analysis.host_noise import WAKE_TRUSTED, WAKES_PER_EXCEEDANCE, Wake
from breakstep.model.slo import quantile_name
from breakstep.model.units import NS_PER_MS, format_duration

QUANTILES = (0.95, 0.99, 0.999)
_STEPS_MS = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class Judgeable:
    """At a quantile: how late the worst core wakes, and the tightest bound to judge, ns."""

    quantile: float
    late_ns: int
    bound_ns: int

    def __str__(self) -> str:
        """`p95<10ms`."""
        bound = format_duration(self.bound_ns).replace(" ", "")
        return f"{quantile_name(self.quantile)}<{bound}"


def judgeable(wakes: Sequence[Wake]) -> tuple[Judgeable, ...]:
    """By quantile; one without ten late instants to go by is left out."""
    found = []
    for quantile in QUANTILES:
        seen = [w for w in wakes if w.lateness.count * (1.0 - quantile) >= WAKES_PER_EXCEEDANCE]
        if seen:
            late_ns = max(wake.lateness.quantile_ns(quantile) for wake in seen)
            found.append(Judgeable(quantile, late_ns, round_up(late_ns / WAKE_TRUSTED)))
    return tuple(found)


def round_up(bound_ns: float) -> int:
    """To 1, 2 or 5 and zeros, from a millisecond on: a bound that people say.

    >>> round_up(7_300_000), round_up(120_000)
    (10000000, 1000000)
    """
    size = NS_PER_MS
    while True:
        for step in _STEPS_MS:
            if bound_ns <= step * size:
                return step * size
        size *= 10
