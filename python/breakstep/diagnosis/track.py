"""One signal against the load: what it was at each, over all steps of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from breakstep.analysis.onset import onset

SAME_LOAD = 1e-9
"""Loads this close, relatively, are one."""
FAR = 1.5
"""Times the break: what is full beyond it may have filled up long after."""


@dataclass(frozen=True, slots=True)
class Point:
    """A signal at one load; `step` is the index of the last step of it."""

    per_s: float
    value: float
    step: int


@dataclass(frozen=True, slots=True)
class Track:
    """A signal by rising load, a point each."""

    source: str
    kind: str
    name: str
    unit: str
    points: tuple[Point, ...]

    @property
    def title(self) -> str:
        """The signal as evidence names it: its probe, then its name."""
        return f"{self.source} {self.name}"

    def top(self, from_per_s: float) -> Point | None:
        """The highest value from this load to half as much again, or else beyond.

        Far over the break everything is full, and shows nothing of what was full first.
        """
        beyond = self.beyond(from_per_s)
        near = [point for point in beyond if point.per_s <= FAR * from_per_s] or beyond
        return max(near, key=lambda point: point.value, default=None)

    def beyond(self, from_per_s: float) -> tuple[Point, ...]:
        """The points at this load and above."""
        least = from_per_s * (1.0 - SAME_LOAD)
        return tuple(point for point in self.points if point.per_s >= least)

    def below(self, per_s: float) -> tuple[Point, ...]:
        """The points at lighter loads."""
        return tuple(p for p in self.points if p.per_s < per_s * (1.0 - SAME_LOAD))

    def at(self, per_s: float) -> Point | None:
        """The point at this load."""
        near = (p for p in self.points if abs(p.per_s - per_s) <= SAME_LOAD * per_s)
        return next(near, None)

    def onset(self, break_per_s: float, floor: float) -> float | None:
        """The load at which it left its baseline: see `analysis.onset`."""
        return onset([(p.per_s, p.value) for p in self.points], break_per_s, floor)

    def over(self, limit: "Track") -> "Track":
        """The share of the other at the same load; without loads where that is missing."""
        shares = (
            (point, whole)
            for point in self.points
            if (whole := limit.at(point.per_s)) is not None and whole.value > 0.0
        )
        points = tuple(Point(p.per_s, p.value / whole.value, p.step) for p, whole in shares)
        return Track(self.source, self.kind, self.name, "share", points)

    def scaled(self, limit: float) -> "Track":
        """The share of a fixed limit."""
        points = tuple(Point(p.per_s, p.value / limit, p.step) for p in self.points)
        return Track(self.source, self.kind, self.name, "share", points)


def highest(tracks: Sequence[Track], from_per_s: float) -> Track | None:
    """The track with the highest value at this load or above; None if none was sampled there."""
    seen = [(top.value, track) for track in tracks if (top := track.top(from_per_s)) is not None]
    return max(seen, key=lambda pair: pair[0])[1] if seen else None
