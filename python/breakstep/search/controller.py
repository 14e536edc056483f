"""What every search has in common: from the steps so far to the next one, or to the end.

A controller keeps nothing between calls: the history alone decides, so that a stored run can be
searched again and gives the same steps.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from breakstep.model.plan import Plan, Step
from breakstep.model.record import StepRecord, StopReason
from breakstep.model.units import format_rate


@dataclass(frozen=True, slots=True)
class Done:
    """The search is over; `why` is a clause that completes the stop reason."""

    stop_reason: StopReason
    why: str


class Controller(Protocol):
    """Chooses the loads."""

    def next_step(self, history: Sequence[StepRecord]) -> Step | Done:
        """The step to measure next, or why there is none."""
        ...


@dataclass(frozen=True, slots=True)
class StepShape:
    """What all steps of a run share."""

    ramp_ns: int
    warmup_ns: int
    hold_ns: int
    run_seed: int

    @classmethod
    def of(cls, plan: Plan) -> "StepShape":
        """The plan's ramp, warm-up, hold and seed."""
        return cls(plan.ramp_ns, plan.warmup_ns, plan.hold_ns, plan.seed)

    def step(self, index: int, rate_per_s: float) -> Step:
        """A step at this rate, ramped from zero: the step before it has been drained."""
        return Step(
            index=index,
            rate_per_s=rate_per_s,
            ramp_from_per_s=0.0,
            ramp_ns=self.ramp_ns,
            warmup_ns=self.warmup_ns,
            hold_ns=self.hold_ns,
            seed=step_seed(self.run_seed, index),
        )


def step_seed(run_seed: int, index: int) -> int:
    """A seed of 48 bits for each step: steps are independent, and the same in every run.

    >>> step_seed(1, 0) == step_seed(1, 0) != step_seed(1, 1)
    True
    """
    digest = hashlib.blake2b(f"{run_seed}/{index}".encode(), digest_size=6).digest()
    return int.from_bytes(digest)


def unsettled(history: Sequence[StepRecord]) -> bool:
    """Whether the last step neither passed nor failed, so that its load is still open."""
    return bool(history) and history[-1].verdict.name in ("invalid", "undecided")


def unsettled_twice(history: Sequence[StepRecord]) -> bool:
    """Whether the last two steps left the same load open."""
    return (
        unsettled(history)
        and unsettled(history[:-1])
        and history[-1].offered_per_s == history[-2].offered_per_s
    )


def without_verdict(history: Sequence[StepRecord]) -> Done:
    """The end of a search whose last load was left open twice."""
    last = history[-1]
    reason = last.verdict.reasons[0] if last.verdict.reasons else "no reason was recorded"
    return Done(
        "untrusted",
        f"{format_rate(last.offered_per_s)}/s was {last.verdict.name} twice: {reason}",
    )
