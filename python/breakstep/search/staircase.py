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
from breakstep.search.ladder import Ladder, Rung


@dataclass(frozen=True, slots=True)
class Staircase:
    """Goes up one rate after a pass, measures an open step once more, stops at the first fail.

    With `to_the_end` it goes on after a fail, to show what lies beyond the break.
    """

    rates_per_s: tuple[float, ...]
    shape: StepShape
    to_the_end: bool = False

    def next_step(self, history: Sequence[StepRecord]) -> Step | Done:
        """The next rate of the staircase."""
        broken = Ladder.of(history).broken
        if broken is not None and not self.to_the_end:
            return _failed(history, broken)
        if unsettled_twice(history):
            return without_verdict(history)
        if unsettled(history):
            return self.shape.step(len(history), history[-1].offered_per_s)
        climbed = sum(step.verdict.name in ("pass", "fail") for step in history)
        if climbed == len(self.rates_per_s):
            return self._end(history)
        return self.shape.step(len(history), self.rates_per_s[climbed])

    def _end(self, history: Sequence[StepRecord]) -> Done:
        broken = Ladder.of(history).broken
        if broken is not None:
            return _failed(history, broken)
        return Done("ceiling", f"all {len(self.rates_per_s)} loads held")


def _failed(history: Sequence[StepRecord], broken: Rung) -> Done:
    failed = f"{format_rate(broken.rate_per_s)}/s failed"
    if Ladder.of(history).sustainable is None:
        return Done("floor", f"{failed}, and no lower load was offered")
    return Done("broken", failed)
