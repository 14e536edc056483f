"""The automatic search: climb until a load breaks, narrow the gap, then measure both ends again.

    nothing passed, nothing failed   the first load
    only passes                      1.5 × the highest load           until it fails, or `to`
    only fails                       ¼ × the lowest load              until it passes, or 1/s
    a tie at a load                  that load again, the majority decides
    a pass below a fail              their geometric mean             until the gap ≤ `width`
    the gap is closed                each end once more
    a step left open                 that load once more, then stop

The history decides alone; no load is judged more than three times, so it ends.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import floor, log10, sqrt

from breakstep.model.plan import Step
from breakstep.model.record import StepRecord
from breakstep.model.units import format_rate
from breakstep.search.controller import (
    Done,
    StepShape,
    unsettled,
    unsettled_twice,
    without_verdict,
)
from breakstep.search.ladder import Ladder, Rung

UP = 1.5
DOWN = 4.0
LOWEST_PER_S = 1.0
CONFIRMED = 2
STEPS_MAX = 80
"""Only a service that keeps changing its mind gets here: 1/s to 10 million/s takes 51."""


@dataclass(frozen=True, slots=True)
class Climb:
    """Searches from `from_per_s`, up to `to_per_s` if given, down to the relative `width`."""

    from_per_s: float
    to_per_s: float | None
    width: float
    shape: StepShape

    def next_step(self, history: Sequence[StepRecord]) -> Step | Done:
        """The load that tells most about where the service breaks."""
        if unsettled_twice(history):
            return _out_of_breath(history) or without_verdict(history)
        if unsettled(history):
            return self.shape.step(len(history), history[-1].offered_per_s)
        chosen = self._next_rate(Ladder.of(history))
        if isinstance(chosen, Done):
            return chosen
        if len(history) >= STEPS_MAX:
            return Done("budget", f"{STEPS_MAX} steps did not settle it")
        return self.shape.step(len(history), chosen)

    def _next_rate(self, ladder: Ladder) -> float | Done:
        tie = next((rung for rung in ladder.rungs if rung.standing == "open"), None)
        if tie is not None:
            return tie.rate_per_s
        low, high = ladder.sustainable, ladder.broken
        if high is None:
            return self._up(low)
        if low is None:
            return _down(high)
        return self._between(low, high)

    def _up(self, low: Rung | None) -> float | Done:
        if low is None:
            return self.from_per_s
        if self.to_per_s is None:
            return legible(UP * low.rate_per_s)
        if low.rate_per_s >= self.to_per_s:
            return Done("ceiling", f"{format_rate(low.rate_per_s)}/s, the highest allowed, held")
        return min(legible(UP * low.rate_per_s), self.to_per_s)

    def _between(self, low: Rung, high: Rung) -> float | Done:
        if high.rate_per_s > low.rate_per_s * (1.0 + self.width):
            return midway(low.rate_per_s, high.rate_per_s)
        unsure = _unconfirmed((high, low))
        if unsure is not None:
            return unsure.rate_per_s
        return Done(
            "broken",
            f"{format_rate(low.rate_per_s)}/s held and {format_rate(high.rate_per_s)}/s failed, "
            "each measured at least twice",
        )


def _down(high: Rung) -> float | Done:
    if high.rate_per_s > LOWEST_PER_S:
        return max(LOWEST_PER_S, legible(high.rate_per_s / DOWN))
    if high.measured < CONFIRMED:
        return high.rate_per_s
    return Done("floor", f"{format_rate(high.rate_per_s)}/s failed, and nothing lower is offered")


def _unconfirmed(rungs: Iterable[Rung]) -> Rung | None:
    return next((rung for rung in rungs if rung.measured < CONFIRMED), None)


def _out_of_breath(history: Sequence[StepRecord]) -> Done | None:
    """The ceiling of the generator: every load held until it could not offer the next."""
    last = history[-1]
    ladder = Ladder.of(history)
    held = ladder.sustainable
    if last.verdict.name != "invalid" or held is None or ladder.broken is not None:
        return None
    reason = last.verdict.reasons[0] if last.verdict.reasons else "it was saturated"
    return Done(
        "ceiling",
        f"{format_rate(held.rate_per_s)}/s held, and the generator could not offer "
        f"{format_rate(last.offered_per_s)}/s: {reason}",
    )


def legible(rate_per_s: float) -> float:
    """The rate with three significant digits, as it is shown.

    >>> legible(1234.5), legible(0.56789)
    (1230.0, 0.568)
    """
    return round(rate_per_s, 2 - floor(log10(rate_per_s)))


def midway(low_per_s: float, high_per_s: float) -> float:
    """The geometric mean, legible where that still lies between the two."""
    middle = sqrt(low_per_s * high_per_s)
    return legible(middle) if low_per_s < legible(middle) < high_per_s else middle
