"""Axes of a drawing: where a value lies, and which round values to write beside it.

A place is a share of the drawing in percent, so that a drawing is as wide as there is room.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from breakstep.report.geometry import Geometry

TICKS = 5
LEFT, RIGHT, TOP, BOTTOM = 0.0, 100.0, 0.0, 100.0
EDGE = 97.0
_ROUND = (1.0, 2.0, 5.0, 10.0)
_NARROW_DECADES = 2


@dataclass(frozen=True, slots=True)
class Tick:
    """A value worth a label, and where it lies."""

    at: float
    label: str

    @property
    def side(self) -> str:
        """How its label stands below a drawing: `x`, or `x-end` where it would stick out."""
        return "x-end" if self.at > EDGE else "x"


@dataclass(frozen=True, slots=True)
class Axis:
    """Maps values from `low` to `high` onto the drawing from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        """Where the value lies; one outside the axis lies at its nearer end."""
        value = min(max(value, self.low), self.high)
        low, high, shown = (
            (log10(self.low), log10(self.high), log10(value))
            if self.log
            else (self.low, self.high, value)
        )
        return round(self.start + (shown - low) / (high - low) * (self.end - self.start), 2)

    def ticks(self) -> list[float]:
        """A few round values within the axis."""
        return self._decades() if self.log else self._even()

    def labelled(self, label: Callable[[float], str]) -> tuple[Tick, ...]:
        """The ticks with their labels; zero is written without a unit."""
        return tuple(Tick(self.at(value), label(value) if value else "0") for value in self.ticks())

    def _decades(self) -> list[float]:
        low, high = floor(log10(self.low)), ceil(log10(self.high))
        steps = (1.0, 2.0, 5.0) if high - low <= _NARROW_DECADES else (1.0,)
        values = [step * 10.0**exponent for exponent in range(low, high + 1) for step in steps]
        return [value for value in values if self.low <= value <= self.high]

    def _even(self) -> list[float]:
        rough = (self.high - self.low) / TICKS
        size = 10.0 ** floor(log10(rough))
        step = next(size * nice for nice in _ROUND if size * nice >= rough)
        return multiples(step, self.low, self.high)


def multiples(step: float, low: float, high: float) -> list[float]:
    """The multiples of a step from `low` to `high`."""
    return [k * step for k in range(ceil(low / step), floor(high / step) + 1)]


def rate_axis(rates: Iterable[float], start: float, end: float, *, from_zero: bool) -> Axis:
    """An axis for rates: from zero where asked, or where they spread widely."""
    values = list(rates)
    low, high = min(values), max(values)
    margin = 0.05 * (high - low) or 0.05 * high
    if from_zero or low < high / 2.0:
        return Axis(0.0, 1.05 * high, start, end)
    return Axis(low - margin, high + margin, start, end)


def duration_axis(values_ms: Iterable[float], start: float, end: float) -> Axis:
    """A logarithmic axis in whole decades for durations above zero."""
    values = [value for value in values_ms if value > 0.0] or [1.0]
    low, high = floor(log10(min(values))), ceil(log10(max(values)))
    return Axis(10.0**low, 10.0 ** max(high, low + 1), start, end, log=True)


def polyline(points: Sequence[tuple[float, float]]) -> Geometry:
    """Places as SVG wants the points of a line."""
    return Geometry(" ".join(f"{x:g},{y:g}" for x, y in points))
