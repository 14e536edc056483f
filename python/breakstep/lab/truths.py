"""The truths that experiments are made of: shapes, not figures of one machine.

Each function returns a `Truth`. What was not trusted cannot be judged: it is measured again.
"""

import re
from collections.abc import Callable
from typing import Any

from breakstep.analysis.words import percent
from breakstep.lab.experiment import Found, Held, Measured, Truth
from breakstep.lab.knees import Knee, knee_of, why_none
from breakstep.lab.steps import errors_of, trusted_steps
from breakstep.model.units import format_rate

Expected = float | Callable[[Measured], float]
"""A number, or how it follows from what was measured: N/W, for instance."""
DISTURBED = ("generator", "host_noise")
"""What such a diagnosis names is the machine, not the stack: it is measured again."""


def figure(
    says: str, key: str, name: str, *, at_least: float | None = None, at_most: float | None = None
) -> Truth:
    """A figure of a run lies between bounds."""

    def judge(found: Found) -> Held:
        value = found[key].figures.get(name)
        if value is None:
            return Held(None, f"{name} was not measured")
        return Held(_between(value, at_least, at_most), f"{name} {value:.4g}")

    return Truth(says, (key,), judge)


def ratio_of_knees(
    a: str, b: str, *, at_least: float | None = None, at_most: float | None = None
) -> Truth:
    """The breaking point of `a` over that of `b`."""

    def judge(found: Found) -> Held:
        above, below = knee_of(found[a]), knee_of(found[b])
        if above is None or below is None:
            return _unknown(found, (a, above), (b, below))
        ratio = above.point_per_s / below.point_per_s
        return Held(_between(ratio, at_least, at_most), f"{ratio:.2f}: {above} over {below}")

    return Truth(f"knee of {a} / knee of {b} {_bounds(at_least, at_most)}", (a, b), judge)


def same_within_a_step(a: str, b: str) -> Truth:
    """Two searches over the same loads broke at most one load apart."""

    def judge(found: Found) -> Held:
        one, other = knee_of(found[a]), knee_of(found[b])
        if one is None or other is None:
            return _unknown(found, (a, one), (b, other))
        near = one.low_per_s <= other.high_per_s and other.low_per_s <= one.high_per_s
        return Held(near, f"{one} and {other}")

    return Truth(f"{a} and {b} break within a step of one another", (a, b), judge)


def knee_near(key: str, per_s: Expected, *, within: float, says: str = "") -> Truth:
    """The breaking point is this, give or take a share; what lies in its bracket is near."""

    def judge(found: Found) -> Held:
        knee, expected = knee_of(found[key]), _expected(per_s, found[key])
        if knee is None:
            return _unknown(found, (key, knee))
        low, high = knee.low_per_s * (1.0 - within), knee.high_per_s * (1.0 + within)
        return Held(low <= expected <= high, f"{knee}, expected {format_rate(expected)}/s")

    claim = says or f"knee of {key} within {percent(within)} of what is expected"
    return Truth(claim, (key,), judge)


def completes_near(key: str, per_s: Expected, *, within: float, says: str = "") -> Truth:
    """The most that any trusted step completed with success is this, give or take a share."""

    def judge(found: Found) -> Held:
        steps, expected = trusted_steps(found[key]), _expected(per_s, found[key])
        if not steps:
            return Held(None, f"no step of {key} was trusted")
        most = max(step.ok / step.arrivals * step.completed_per_s for step in steps)
        near = abs(most / expected - 1.0) <= within
        return Held(near, f"{format_rate(most)}/s, expected {format_rate(expected)}/s")

    claim = says or f"{key} completes within {percent(within)} of what is expected"
    return Truth(claim, (key,), judge)


def names(key: str, kind: str, resource: str = "") -> Truth:
    """The diagnosis is of this kind, and its resource matches the pattern."""

    def judge(found: Found) -> Held:
        result = found[key].result
        said = None if result is None else result.sections.get("diagnosis")
        if knee_of(found[key]) is None or said is None:
            return Held(None, f"no diagnosis: {why_none(found[key])}")
        right = said["kind"] == kind and re.search(resource, said["resource"] or "") is not None
        ok = None if not right and said["kind"] in DISTURBED else right
        return Held(ok, f"{said['kind']} of {said['resource']} ({said['confidence']})")

    of = f" of {resource}" if resource else ""
    return Truth(f"{key} is diagnosed as {kind}{of}", (key,), judge)


def errors_share(key: str, expected: Expected, *, within: float, says: str = "") -> Truth:
    """The share of failures is this at every load, give or take `within` (0.02: two points)."""

    def judge(found: Found) -> Held:
        steps, share = trusted_steps(found[key]), _expected(expected, found[key])
        if not steps:
            return Held(None, f"no step of {key} was trusted")
        shares = [errors_of(step) for step in steps]
        near = all(abs(one - share) <= within for one in shares)
        listed = ", ".join(percent(one) for one in shares)
        return Held(near, f"{listed}, expected {percent(share)}")

    claim = says or f"failures of {key} within {100 * within:g} points of what is expected"
    return Truth(claim, (key,), judge)


def _expected(given: Expected, measured: Measured) -> float:
    return given(measured) if callable(given) else given


def _between(value: float, at_least: float | None, at_most: float | None) -> bool:
    return (at_least is None or value >= at_least) and (at_most is None or value <= at_most)


def _bounds(at_least: float | None, at_most: float | None) -> str:
    if at_least is not None and at_most is not None:
        return f"between {at_least:g} and {at_most:g}"
    return f"≥ {at_least:g}" if at_least is not None else f"≤ {at_most:g}"


def _unknown(found: Found, *pairs: tuple[str, Knee | None]) -> Held:
    reasons = [f"{key}: {why_none(found[key])}" for key, knee in pairs if knee is None]
    return Held(None, "; ".join(reasons))


def fact(name: str) -> Callable[[Measured], Any]:
    """Reads a fact of the stack, for an expectation: `fact("share")`."""
    return lambda measured: measured.facts[name]
