"""Readings of the steps of a run, for truths and figures."""

from collections.abc import Sequence

from breakstep.lab.experiment import Measured
from breakstep.model.record import StepRecord


def trusted_steps(measured: Measured) -> Sequence[StepRecord]:
    """Those that had arrivals and are not invalid, lowest load first."""
    steps = () if measured.result is None else measured.result.steps
    fit = [step for step in steps if step.arrivals and step.trust.verdict != "invalid"]
    return sorted(fit, key=lambda step: step.offered_per_s)


def errors_of(step: StepRecord) -> float:
    """The share of its arrivals that did not end ok."""
    return 1.0 - step.ok / step.arrivals
