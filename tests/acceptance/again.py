"""Measures again when the machine was too busy to measure."""

from collections.abc import Callable, Sequence

from breakstep import Result, StepRecord

TRIES = 3


def undisturbed(measure: Callable[[], Result]) -> Result:
    """The first result that trusts itself; bounds are never loosened for a noisy machine.

    After three that do not the last, which its test will then refuse.
    """
    for _ in range(TRIES):
        result = measure()
        if result.runs[-1].stop_reason != "untrusted":
            break
    return result


def valid_steps(result: Result) -> Sequence[StepRecord]:
    """The steps without those that were measured again because the generator was disturbed."""
    return [step for step in result.steps if step.verdict.name != "invalid"]
