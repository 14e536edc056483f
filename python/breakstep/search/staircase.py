"""The loads the user named, in order, until one breaks."""

from collections.abc import Sequence
from dataclasses import dataclass

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
from breakstep.search.ladder import FAILS, Ladder


@dataclass(frozen=True, slots=True)
class Staircase:
    """Goes up one rate after a pass, stops at the first load that fails in two windows.

    One window does not decide: a service that froze for a moment fails once. A step without a
    verdict is measured once more as well. With `to_the_end` it goes on after the break, to show
    what lies beyond.
    """

    rates_per_s: tuple[float, ...]
    shape: StepShape
    to_the_end: bool = False

    def next_step(self, history: Sequence[StepRecord]) -> Step | Done:
        """The next rate of the staircase."""
        ladder = Ladder.of(history)
        if unsettled_twice(history):
            return _end(ladder, without_verdict(history))
        if unsettled(history):
            return self.shape.step(len(history), history[-1].offered_per_s)
        if ladder.doubted is not None:
            return self.shape.step(len(history), ladder.doubted.rate_per_s)
        climbed, loads = len(ladder.rungs), len(self.rates_per_s)
        if climbed == loads or (ladder.broken is not None and not self.to_the_end):
            return _end(ladder, Done("ceiling", f"all {loads} loads held"))
        return self.shape.step(len(history), self.rates_per_s[climbed])


def _end(ladder: Ladder, unbroken: Done) -> Done:
    """Where it broke, or else `unbroken`."""
    if ladder.broken is None:
        return unbroken
    # Once only if the generator was disturbed whenever it was measured again.
    often = "twice" if ladder.broken.failed >= FAILS else "once, and could not be measured again"
    failed = f"{format_rate(ladder.broken.rate_per_s)}/s failed {often}"
    if ladder.sustainable is None:
        return Done("floor", f"{failed}, and no lower load was offered")
    return Done("broken", failed)
