"""The demand of a load-model file: what `breakstep plan` plans for."""

from collections.abc import Mapping
from types import MappingProxyType

from breakstep.model.units import parse_rate
from breakstep.plan.faults import Faults
from breakstep.plan.words import Flags

_RANGES: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "growth": (0.0, 100.0),
        "failures": (0, 1000),
        "burst": (1.0, 1000.0),
        "headroom": (0.01, 1.0),
        "imbalance": (1.0, 1000.0),
    }
)


def demand_of(flags: Flags, faults: Faults) -> tuple[tuple[str, float], ...]:
    """The words of the section `plan`, each in its range."""
    found = []
    for word, value in flags.demand.items():
        place = flags.place(f"demand.{word}")
        number = faults.of(place, parse_rate, value) if isinstance(value, str) else value
        if number is not None:
            low, high = _RANGES.get(word, (0.0, float("inf")))
            faults.when(not low <= number <= high, place, f"between {low:g} and {high:g}")
            found.append((word, number))
    return tuple(found)
