"""One run against another: how far the breaking load moved, and what the same loads cost.

With the intervals of both knees, k within [l, u], the change is judged on the logarithms:

    d = ln k_B − ln k_A
    low  = d − √((ln k_B − ln l_B)² + (ln u_A − ln k_A)²)
    high = d + √((ln u_B − ln k_B)² + (ln k_A − ln l_A)²)

which has the coverage of the single intervals. Where a run only knows a load that held, h, and one
that broke, b, the ratio lies between h_B/b_A and b_B/h_A; an end may be open.
"""

import re
from collections.abc import Iterator, Sequence
from math import exp, hypot, inf, log

from breakstep.analysis.likeness import unlike
from breakstep.analysis.step_signals import request_costs
from breakstep.model.comparison import (
    CommonLoad,
    CostChange,
    Direction,
    KneeChange,
    RunComparison,
)
from breakstep.model.record import Answer, Result, StepRecord

SAME_LOAD = 0.02
"""Loads so close count as the same: near the breaking point a quantile doubles within a tenth."""
_ANSWERED = ("found", "above_ceiling", "below_floor")

Range = tuple[float, float]


def compare(before: Result, after: Result, *, anyway: bool = False) -> RunComparison:
    """The run `after` against `before`; `anyway` compares what is not alike."""
    differences = unlike(before, after)
    alike = all(difference.weight != "decisive" for difference in differences)
    return RunComparison(
        unlike=differences,
        compared=alike or anyway,
        knee=knee_change(before.answer, after.answer),
        loads=tuple(_common_loads(before.steps, after.steps)),
        costs=tuple(_costs(before, after)),
    )


def knee_change(before: Answer, after: Answer) -> KneeChange:
    """How far the breaking load moved, as far as both answers tell."""
    loads = _load(before), _load(after)
    found = before.status == after.status == "found"
    silent = [a.status for a in (before, after) if a.status not in _ANSWERED]
    if silent:
        says = f"a run has no breaking load: its answer is {silent[0]}"
        return KneeChange(*loads, None, None, "unknown", None, says)
    knees = _by_knees(before, after)
    low, high = knees or _by_bounds(before, after)
    change = (loads[1] or 0.0) / (loads[0] or 1.0) - 1.0 if found else None
    interval = (low - 1.0 if low > 0.0 else None, high - 1.0 if high < inf else None)
    direction: Direction = "higher" if low > 1.0 else "lower" if high < 1.0 else "not_told_apart"
    basis = "bounds" if knees is None else "knee"
    return KneeChange(*loads, change, interval, direction, basis, "")  # type: ignore[arg-type]


def _load(answer: Answer) -> float | None:
    return answer.sustainable_per_s if answer.knee_per_s is None else answer.knee_per_s


def _by_knees(before: Answer, after: Answer) -> Range | None:
    """The interval of the ratio from both knees, None where one has none."""
    ends = []
    for answer in (before, after):
        if answer.knee_per_s is None or answer.knee_interval_per_s is None:
            return None
        low, high = answer.knee_interval_per_s
        if not 0.0 < low <= answer.knee_per_s <= high:
            return None
        ends.append((log(answer.knee_per_s / low), log(high / answer.knee_per_s)))
    moved = log((after.knee_per_s or 1.0) / (before.knee_per_s or 1.0))
    (below_a, above_a), (below_b, above_b) = ends
    return exp(moved - hypot(below_b, above_a)), exp(moved + hypot(above_b, below_a))


def _by_bounds(before: Answer, after: Answer) -> Range:
    (low_a, high_a), (low_b, high_b) = _bounds(before), _bounds(after)
    return (low_b / high_a if high_a else 0.0), (high_b / low_a if low_a else inf)


def _bounds(answer: Answer) -> Range:
    return answer.sustainable_per_s or 0.0, answer.broken_per_s or inf


def _common_loads(
    before: Sequence[StepRecord], after: Sequence[StepRecord]
) -> Iterator[CommonLoad]:
    others = _longest(after)
    for rate, step in _longest(before).items():
        near = min(others, key=lambda other: abs(log(other / rate)), default=None)
        if near is not None and abs(log(near / rate)) <= SAME_LOAD:
            other = others[near]
            yield CommonLoad(
                rate,
                near,
                step.response_ms,
                other.response_ms,
                step.verdict.name,
                other.verdict.name,
            )


def _longest(steps: Sequence[StepRecord]) -> dict[float, StepRecord]:
    """For each load its step with the most arrivals, by load."""
    found: dict[float, StepRecord] = {}
    for step in sorted(steps, key=lambda step: (step.offered_per_s, step.arrivals)):
        if step.verdict.name != "invalid" and step.offered_per_s > 0.0:
            found[step.offered_per_s] = step
    return found


def _costs(before: Result, after: Result) -> Iterator[CostChange]:
    """Programs that were watched in both; numbers in a label, such as a port, may differ."""
    others = {_name(cost.source): cost for cost in request_costs(after)}
    for cost in request_costs(before):
        other = others.get(_name(cost.source))
        if other is not None:
            yield CostChange(cost.source, cost.ms_per_request, other.ms_per_request)


def _name(source: str) -> str:
    return re.sub(r"\d+", "#", source)
