"""One endpoint under another's load: what is offered to each, and what came of it."""

from dataclasses import dataclass

from breakstep.model.plan import Plan
from breakstep.model.record import StepRecord, Trust
from breakstep.model.units import format_rate

Range = tuple[float, float, float]
"""Lowest, median and highest of the repeats."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A rate, or so many connections that are never idle: the open or the closed model."""

    rate_per_s: float | None = None
    connections: int | None = None

    def __str__(self) -> str:
        if self.rate_per_s is not None:
            return f"{format_rate(self.rate_per_s)}/s"
        return f"{self.connections} connection{'' if self.connections == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class InterferePlan:
    """Which endpoint is measured, and which is loaded beside it. Both plans name a target each."""

    victim: Plan
    bully: Plan
    victim_offer: Offer
    bully_offer: Offer
    repeat: int


@dataclass(frozen=True, slots=True)
class Pair:
    """The victim alone, the victim under load, and the load itself meanwhile."""

    alone: StepRecord
    under_load: StepRecord
    bully: StepRecord


@dataclass(frozen=True, slots=True)
class Interference:
    """What all repeats say. A ratio is under load over alone, None where it is withheld.

    `why` says on what ground one is, empty if none is.
    """

    pairs: tuple[Pair, ...]
    throughput_ratio: Range | None
    p99_ratio: Range | None
    trust: Trust
    why: str
    interrupted: bool
