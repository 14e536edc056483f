"""A gate: one load held against SLOs, or two versions of a service held against each other."""

from dataclasses import dataclass
from typing import Literal

from breakstep.model.plan import Plan
from breakstep.model.record import Criterion, VerdictName

Side = Literal["base", "head"]
BAD = "bad"
"""The measure that is a share of arrivals; the others are times."""


@dataclass(frozen=True, slots=True)
class CheckPlan:
    """What `check` offers: the one rate of `base`, judged at `looks_ns` since the hold began.

    `from_run` is the run whose breaking load the rate was derived from, None if it was given.
    """

    base: Plan
    rate_per_s: float
    looks_ns: tuple[int, ...]
    from_run: str | None = None


@dataclass(frozen=True, slots=True)
class ChangePlan:
    """What `check --against` offers to each version in turn.

    `head` and `base` are the same but for the target; with commands, which start or deploy a
    version each, also in that. `loss` is the slowdown that must not pass unnoticed, as a share.
    """

    head: Plan
    base: Plan
    rate_per_s: float
    pairs: int
    loss: float
    head_command: str | None = None
    base_command: str | None = None
    from_run: str | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """One hold on one of the versions. Times are ms; None where no arrival was ok."""

    pair: int
    side: Side
    arrivals: int
    typical_ms: float | None
    """Geometric mean of the response times of ok arrivals."""
    tail_ms: float | None
    bad_share: float


@dataclass(frozen=True, slots=True)
class Difference:
    """One measure of head against base. `change` and its bounds are shares: 0.1 is 10 % more.

    Of times they are relative; of the share of bad arrivals they are its difference.
    """

    measure: str
    base: float
    head: float
    change: float
    lower: float
    upper: float
    limit: float
    """Head is worse if `lower` is beyond it."""
    verdict: VerdictName
    says: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the blocks say of head against base."""

    verdict: VerdictName
    pairs: int
    loss: float
    differences: tuple[Difference, ...]
    reasons: tuple[str, ...]
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True)
class Gate:
    """What `check` found out."""

    offered_per_s: float
    verdict: VerdictName
    criteria: tuple[Criterion, ...]
    reasons: tuple[str, ...]
    remedy: str | None
    from_run: str | None
    comparison: Comparison | None = None
