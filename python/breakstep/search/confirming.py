"""The edges once more in fresh steps, in an order that shows whether the way there matters.

    coming up      the step before held, was undecided or light, or there was none
    coming down    the step before failed: the service was overloaded a moment ago

A service with hysteresis, once overloaded, stays slow at loads that it carries when it comes from
below: retries that feed on themselves, caches that were lost. So the low edge should have passed
coming down and the high edge have failed coming up. Right after a load that failed the low edge is
confirmed first, else the high one, and nearly always both ways are seen without a step more.
"""

from collections.abc import Sequence

from breakstep.model.record import VerdictName
from breakstep.model.units import format_rate
from breakstep.search.controller import Done
from breakstep.search.trials import Bracket, Choice, Load, Trial, left_open

VERDICTS_MAX = 3
"""At one load."""
CHANCE = 2.0
"""Widths."""


def confirm(trials: Sequence[Trial], bracket: Bracket, fallbacks_max: int) -> Choice | None:
    """An edge that a fresh step has not agreed with yet; both sides of a contradiction too.

    None once so many confirmations stayed undecided.
    """
    if left_open(trials) >= fallbacks_max:
        return None
    edges = (bracket.high, bracket.low, bracket.above)
    if overloaded_before(trials, len(trials)):
        edges = (bracket.low, bracket.high, bracket.above)
    wanting = (load for load in edges if load is not None and not load.confirmed)
    return next((again for load in wanting if (again := _again(load)) is not None), None)


def revisit(trials: Sequence[Trial], bracket: Bracket) -> Choice | None:
    """An edge on the way that it has not been seen on, or the other one to come from there."""
    if bracket.low is None or bracket.high is None:
        return None
    low, high = bracket.low, bracket.high
    if not low.confirmed or not high.confirmed:
        return None
    if _seen(trials, low, "pass", down=True) and _seen(trials, high, "fail", down=False):
        return None
    return _again(low if overloaded_before(trials, len(trials)) else high)


def comes_down(trials: Sequence[Trial], chosen: Choice | Done) -> bool:
    """Whether this step shows the low edge right after an overload: nothing should come between."""
    low = Bracket.of(trials).low
    return (
        isinstance(chosen, Choice)
        and chosen.kind == "confirm"
        and low is not None
        and low.rate_per_s == chosen.rate_per_s
        and overloaded_before(trials, len(trials))
    )


def hysteresis(trials: Sequence[Trial], width: float) -> str | None:
    """What is suspected if a load passed whenever it was reached from below, and only then.

    Within two widths of the load that holds either way it is chance: there verdicts differ anyway.
    """
    bracket = Bracket.of(trials)
    surely_per_s = 0.0 if bracket.low is None else bracket.low.rate_per_s * (1.0 + CHANCE * width)
    for load in reversed([load for load in bracket.loads if load.rate_per_s > surely_per_s]):
        held = {down for down in (False, True) if _seen(trials, load, "pass", down=down)}
        failed = {down for down in (False, True) if _seen(trials, load, "fail", down=down)}
        if held == {False} and failed == {True}:
            return (
                f"{format_rate(load.rate_per_s)}/s held when it was reached from below and failed "
                "right after an overload: the service may not recover by itself (hysteresis), and "
                "after a peak it may break at lower loads than it carried before."
            )
    return None


def overloaded_before(trials: Sequence[Trial], index: int) -> bool:
    """Whether the last step before this one that counts was a load that failed."""
    before = [trial for trial in trials[:index] if trial.verdict != "invalid"]
    return bool(before) and before[-1].verdict == "fail" and before[-1].step.kind != "canary"


def _seen(trials: Sequence[Trial], load: Load, verdict: VerdictName, *, down: bool) -> bool:
    return any(
        trial.step.rate_per_s == load.rate_per_s
        and trial.step.kind != "canary"
        and trial.verdict == verdict
        and overloaded_before(trials, index) == down
        for index, trial in enumerate(trials)
    )


def _again(load: Load) -> Choice | None:
    if len(load.verdicts) >= VERDICTS_MAX:
        return None
    return Choice(load.rate_per_s, "confirm", edge=True)
