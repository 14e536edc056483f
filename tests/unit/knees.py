"""Results with a breaking load of our choice, for plans and comparisons."""

from dataclasses import replace
from itertools import count

from results import FOUND

from breakstep.model.finding import Confidence, Finding, FindingKind
from breakstep.model.record import Result

_NUMBERS = count()
"""No two runs have one id."""


def broke_at(
    knee_per_s: float, interval: tuple[float, float] | None = None, name: str | None = None
) -> Result:
    """A run whose search drew a line; without an interval one of a tenth on either side."""
    low, high = interval or (0.9 * knee_per_s, 1.1 * knee_per_s)
    answer = replace(
        FOUND.answer,
        sustainable_per_s=low,
        broken_per_s=high,
        knee_per_s=knee_per_s,
        knee_interval_per_s=(low, high),
    )
    return replace(FOUND, id=name or f"run{next(_NUMBERS)}", answer=answer)


def held(sustainable_per_s: float, broken_per_s: float | None, name: str | None = None) -> Result:
    """A run that only knows loads that held and broke; without one that broke it never did."""
    answer = replace(
        FOUND.answer,
        status="above_ceiling" if broken_per_s is None else "found",
        sustainable_per_s=sustainable_per_s,
        broken_per_s=broken_per_s,
        knee_per_s=None,
        knee_interval_per_s=None,
    )
    return replace(FOUND, id=name or f"run{next(_NUMBERS)}", answer=answer)


def full(
    kind: FindingKind, resource: str | None = None, confidence: Confidence = "high"
) -> Finding:
    """A diagnosis that names this."""
    return Finding(kind, resource, confidence, "It was full.", remedy="Make room.")
