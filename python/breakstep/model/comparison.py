"""What two runs say of each other. A change is a share of what was before: 0.1 is a tenth more."""

from dataclasses import dataclass
from typing import Literal

from breakstep.model.record import Durations, VerdictName

Weight = Literal["decisive", "doubtful"]
Direction = Literal["higher", "lower", "not_told_apart", "unknown"]


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that is not alike in the terms of two runs.

    `decisive`: a change of the breaking load would not be the service's. `doubtful`: it need not
    be.
    """

    name: str
    before: str
    after: str
    weight: Weight


@dataclass(frozen=True, slots=True)
class KneeChange:
    """How far the breaking load moved. `interval` covers it; an end without a bound is None.

    `basis` is `knee` where both searches drew a line, at 95 %, and `bounds` where only the loads
    that held and broke are known.
    """

    before_per_s: float | None
    after_per_s: float | None
    change: float | None
    interval: tuple[float | None, float | None] | None
    direction: Direction
    basis: Literal["knee", "bounds"] | None
    says: str


@dataclass(frozen=True, slots=True)
class CommonLoad:
    """One load that both runs were offered, at the longest window of each; rates a second."""

    before_per_s: float
    after_per_s: float
    before_ms: Durations
    after_ms: Durations
    before: VerdictName
    after: VerdictName


@dataclass(frozen=True, slots=True)
class CostChange:
    """The CPU of a request in one program, ms."""

    source: str
    before_ms: float
    after_ms: float


@dataclass(frozen=True, slots=True)
class RunComparison:
    """One run against the first. `compared` is False where unlike terms forbid it."""

    unlike: tuple[Difference, ...]
    compared: bool
    knee: KneeChange
    loads: tuple[CommonLoad, ...]
    costs: tuple[CostChange, ...]
