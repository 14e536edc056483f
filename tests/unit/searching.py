"""Runs a controller against a made-up service, in no time at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakes import record

from breakstep.search.controller import Done, StepShape

if TYPE_CHECKING:
    from collections.abc import Callable

    from breakstep.model.record import StepRecord, VerdictName
    from breakstep.search.controller import Controller

SHAPE = StepShape(ramp_ns=0, warmup_ns=2_000_000_000, hold_ns=10_000_000_000, run_seed=7)
FAR_TOO_MANY = 300


def search(
    controller: Controller, verdict_at: Callable[[float], VerdictName]
) -> tuple[list[StepRecord], Done]:
    """The history of a whole search and how it ended."""
    history: list[StepRecord] = []
    for _ in range(FAR_TOO_MANY):
        step = controller.next_step(history)
        if isinstance(step, Done):
            return history, step
        assert step.index == len(history)
        history.append(record(step.index, step.rate_per_s, verdict_at(step.rate_per_s)))
    msg = "the search did not end"
    raise AssertionError(msg)


def capacity(per_s: float) -> Callable[[float], VerdictName]:
    """A service that holds exactly the rates up to this one."""
    return lambda rate_per_s: "pass" if rate_per_s <= per_s else "fail"


def scripted(*verdicts: VerdictName) -> Callable[[float], VerdictName]:
    """Verdicts in the order of the steps, whatever their rates."""
    remaining = iter(verdicts)
    return lambda _: next(remaining)


def rates(history: list[StepRecord]) -> list[float]:
    """The rates offered, in order."""
    return [step.offered_per_s for step in history]
