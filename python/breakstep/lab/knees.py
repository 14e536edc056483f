"""Where a run put the breaking point, as a bracket that truths compare."""

import math
from dataclasses import dataclass

from breakstep.lab.experiment import Measured
from breakstep.model.units import format_rate


@dataclass(frozen=True, slots=True)
class Knee:
    """Between `low_per_s`, which held, and `high_per_s`, which broke; infinite if none did."""

    low_per_s: float
    high_per_s: float
    point_per_s: float

    def __str__(self) -> str:
        if math.isinf(self.high_per_s):
            return f"above {format_rate(self.low_per_s)}/s"
        if self.low_per_s == 0.0:
            return f"below {format_rate(self.high_per_s)}/s"
        return f"{format_rate(self.low_per_s)} to {format_rate(self.high_per_s)}/s"


def knee_of(measured: Measured) -> Knee | None:
    """The breaking point of a search; None where it gave none to be trusted."""
    result = measured.result
    if result is None:
        return None
    answer = result.answer
    low, high = answer.sustainable_per_s or 0.0, answer.broken_per_s or math.inf
    if answer.status == "found" and low and not math.isinf(high):
        return Knee(low, high, answer.knee_per_s or math.sqrt(low * high))
    if answer.status == "above_ceiling" and low:
        return Knee(low, math.inf, low)
    if answer.status == "below_floor" and not math.isinf(high):
        return Knee(0.0, high, high)
    return None


def why_none(measured: Measured) -> str:
    """Why a search gave no breaking point."""
    if measured.result is None:
        return "there was no search"
    answer = measured.result.answer
    reasons = [run.why for run in measured.result.runs]
    return f"{answer.status}: {'; '.join(reasons) or 'nothing was measured'}"
