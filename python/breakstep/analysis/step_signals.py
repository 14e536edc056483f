"""The signals that a result keeps of its steps, and what a request costs by them. Without arrays.

    X, U    completed requests a second and CPU cores in use, a pair for each step
    D       slope of U on X by least squares with an intercept: what a request adds

Only steps whose queue did not grow, and at least four loads. U/X would charge a request with what
goes on without any load.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from statistics import StatisticsError, linear_regression
from typing import Any

from breakstep.model.record import Result, StepRecord

LOADS_MIN = 4
_CPU_KINDS = ("process", "node", "postgres", "redis")
"""Probes of programs; the first in this order speaks where two have the same label."""


@dataclass(frozen=True, slots=True)
class StepSignal:
    """One signal in the window of one step."""

    step: StepRecord
    source: str
    kind: str
    name: str
    mean: float
    max: float


@dataclass(frozen=True, slots=True)
class RequestCost:
    """What a request asks of a program's CPU, over so many loads."""

    source: str
    ms_per_request: float
    background_cores: float
    loads: int


def step_signals(result: Result) -> tuple[StepSignal, ...]:
    """Every signal of every valid step; what is not as it should be is passed over."""
    section = result.sections.get("signals")
    rows = section.get("steps") if isinstance(section, Mapping) else None
    steps = {(k, s.index): s for k, run in enumerate(result.runs) for s in run.steps}
    return tuple(
        signal
        for row in (rows if isinstance(rows, list) else ())
        for signal in _of_step(row, steps)
        if signal.step.verdict.name != "invalid"
    )


def request_costs(result: Result) -> tuple[RequestCost, ...]:
    """The CPU of a request for each program that was watched, in order of label."""
    found: dict[str, RequestCost] = {}
    signals = [s for s in step_signals(result) if s.name == "cpu" and s.step.queue != "growing"]
    for kind in _CPU_KINDS:
        for source in sorted({s.source for s in signals if s.kind == kind} - found.keys()):
            cost = _cost(source, [s for s in signals if (s.kind, s.source) == (kind, source)])
            if cost is not None:
                found[source] = cost
    return tuple(found[source] for source in sorted(found))


def _cost(source: str, signals: list[StepSignal]) -> RequestCost | None:
    loads = len({signal.step.offered_per_s for signal in signals})
    if loads < LOADS_MIN:
        return None
    rates = [signal.step.completed_per_s for signal in signals]
    try:
        slope, background = linear_regression(rates, [signal.mean for signal in signals])
    except StatisticsError:
        return None
    return RequestCost(source, 1000.0 * slope, background, loads) if slope > 0.0 else None


def _of_step(
    row: Mapping[str, Any], steps: Mapping[tuple[int, int], StepRecord]
) -> Iterator[StepSignal]:
    try:
        step = steps[row["run"], row["index"]]
        for signal in row["signals"]:
            mean, most = float(signal["mean"]), float(signal["max"])
            source, kind, name = (str(signal[key]) for key in ("source", "kind", "name"))
            if isfinite(mean) and isfinite(most):
                yield StepSignal(step, source, kind, name, mean, most)
    except (KeyError, TypeError, ValueError):
        return
