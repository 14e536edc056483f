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
from breakstep.search.ladder import Ladder


@dataclass(frozen=True, slots=True)
class Staircase:
    """Goes up one rate after a pass, measures an open step once more, stops at the first fail."""

    rates_per_s: tuple[float, ...]
    shape: StepShape

    def next_step(self, history: Sequence[StepRecord]) -> Step | Done:
        """The next rate of the staircase."""
        if history and history[-1].verdict.name == "fail":
            return _failed(history)
        if unsettled_twice(history):
            return without_verdict(history)
        if unsettled(history):
            return self.shape.step(len(history), history[-1].offered_per_s)
        climbed = sum(step.verdict.name == "pass" for step in history)
        if climbed == len(self.rates_per_s):
            return Done("ceiling", f"all {climbed} loads held")
        return self.shape.step(len(history), self.rates_per_s[climbed])


def _failed(history: Sequence[StepRecord]) -> Done:
    failed = f"{format_rate(history[-1].offered_per_s)}/s failed"
    if Ladder.of(history).sustainable is None:
        return Done("floor", f"{failed}, and no lower load was offered")
    return Done("broken", failed)
