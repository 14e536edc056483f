"""One load, judged at its looks until it is decided: what a gate offers.

no step yet               the load
the step was invalid      once more
invalid twice             the end, untrusted
pass                      the end, ceiling
fail                      the end, floor
undecided at its last look    the end, budget: the time allowed was over
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from breakstep.model.plan import Step
from breakstep.model.record import Answer, StepRecord, VerdictName
from breakstep.model.units import format_rate
from breakstep.search.answer import ARRIVAL_LAW, Terms, capacity_per_s
from breakstep.search.controller import Done, StepShape, unsettled_twice, without_verdict


@dataclass(frozen=True, slots=True)
class Single:
    """Offers the rate once, and once more where the measurement could not be trusted."""

    rate_per_s: float
    looks_ns: tuple[int, ...]
    shape: StepShape

    def next_step(self, history: Sequence[StepRecord]) -> Step | Done:
        """The load, or what came of it."""
        last = history[-1].verdict.name if history else "invalid"
        if last == "undecided":
            return Done("budget", "the time allowed was over before it was decided")
        if unsettled_twice(history):
            return without_verdict(history)
        if last == "invalid":
            step = self.shape.step(len(history), self.rate_per_s)
            return replace(step, hold_ns=self.looks_ns[-1], looks_ns=self.looks_ns)
        rate = format_rate(self.rate_per_s)
        if last == "pass":
            return Done("ceiling", f"{rate}/s held, and no other load was offered")
        return Done("floor", f"{rate}/s failed, and no other load was offered")


def verdict_of(history: Sequence[StepRecord], done: Done) -> VerdictName:
    """What the gate says: the last step's verdict; `undecided` if it was interrupted."""
    if done.stop_reason == "interrupted" or not history:
        return "undecided"
    return history[-1].verdict.name


def answer(history: Sequence[StepRecord], done: Done, terms: Terms) -> Answer:
    """The same in the words that every verb shares."""
    rate = history[-1].offered_per_s if history else None
    caveats = (ARRIVAL_LAW[terms.arrivals],) if history else ()
    nothing = Answer("inconclusive", None, None, caveats=caveats)
    carried = capacity_per_s(history)
    match verdict_of(history, done):
        case "pass":
            return replace(
                nothing, status="above_ceiling", sustainable_per_s=rate, capacity_per_s=carried
            )
        case "fail":
            return replace(nothing, status="below_floor", broken_per_s=rate, capacity_per_s=carried)
        case "invalid":
            return untrusted(nothing)
        case _:
            return nothing


def untrusted(found: Answer) -> Answer:
    """The answer without its number."""
    return Answer("untrusted", None, None, caveats=found.caveats)
