"""A measured value and the bound it has to keep."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

NS_PER_S = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Figure:
    """One value of a benchmark. Without a bound it is only shown."""

    name: str
    value: float
    unit: str
    at_most: float | None = None
    at_least: float | None = None

    @property
    def kept(self) -> bool:
        """Whether the value lies within its bounds."""
        return (self.at_most is None or self.value <= self.at_most) and (
            self.at_least is None or self.value >= self.at_least
        )

    def __str__(self) -> str:
        bounds = [f"≥ {self.at_least:g}"] if self.at_least is not None else []
        bounds += [f"≤ {self.at_most:g}"] if self.at_most is not None else []
        if not bounds:
            return f"{self.name}: {self.value:.4g} {self.unit}"
        verdict = "ok" if self.kept else "MISSED"
        return f"{self.name}: {self.value:.4g} {self.unit} (bound {', '.join(bounds)}) {verdict}"


def median_ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The median of the ratios round by round: what disturbs a round disturbs both sides."""
    return median(a / b for a, b in zip(ours, theirs, strict=True))


def row(name: str, values: Iterable[float], unit: str) -> str:
    """A line with the median and the spread of a measurement."""
    ordered = sorted(values)
    low, middle, high = ordered[0], median(ordered), ordered[-1]
    return f"  {name:<34} {middle:10.4g} {unit}   ({low:.4g} to {high:.4g})"
