"""CPU with a limit, and who used most of it."""

from dataclasses import dataclass

from breakstep.diagnosis.consumers import Consumer
from breakstep.diagnosis.observed import Observed
from breakstep.diagnosis.track import Point, Track
from breakstep.model.finding import Confidence

FULL = 0.90
"""Of a room. Random arrivals leave gaps, and a sample is half a second: at a break by queueing a
single core shows 0.9 to 1."""


@dataclass(frozen=True, slots=True)
class Room:
    """CPU with a limit, and who used most of it; `business` is a share.

    `consumer` is None where no probed program used most of it.
    """

    name: str
    business: Track
    peak: Point
    consumer: Consumer | None

    @property
    def full(self) -> bool:
        """Whether nothing was left."""
        return self.peak.value >= FULL

    @property
    def surely(self) -> Confidence:
        """How sure it can make: one that was full at the lightest load was not filled by load."""
        lightest = self.business.points[0]
        before = lightest.per_s < self.peak.per_s and lightest.value >= FULL
        return "medium" if before else "high"


def room_of(
    observed: Observed, name: str, business: Track, consumer: Consumer | None
) -> tuple[Room, ...]:
    """The room, if it was sampled at the break."""
    break_per_s = observed.break_per_s
    peak = None if break_per_s is None else business.top(break_per_s)
    return () if peak is None else (Room(name, business, peak, consumer),)
