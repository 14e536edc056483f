"""The signals that a result keeps of its steps."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isclose
from typing import Any

import pytest
from fakes import record
from results import FOUND

from breakstep.analysis.step_signals import request_costs, step_signals
from breakstep.model.record import Result

RATES = (100.0, 200.0, 300.0, 400.0, 500.0)


def watched(cores: Sequence[float], kind: str = "process", source: str = "app") -> Result:
    """A run at five loads, the last of which grew a queue, in which a program used so much."""
    steps = tuple(
        record(k, rate, "fail" if k == 4 else "pass", queue="growing" if k == 4 else "stable")
        for k, rate in enumerate(RATES)
    )
    rows = [row(k, cpu(kind, source, used)) for k, used in enumerate(cores)]
    runs = (replace(FOUND.runs[0], steps=steps),)
    return replace(FOUND, runs=runs, sections={"signals": {"sources": [], "steps": rows}})


def row(index: int, *signals: Mapping[str, Any]) -> dict[str, Any]:
    """The signals of a step, as a result has them."""
    return {"run": 0, "index": index, "signals": list(signals)}


def cpu(kind: str, source: str, cores: float) -> dict[str, Any]:
    """The CPU of a program."""
    return {"kind": kind, "source": source, "name": "cpu", "mean": cores, "max": cores}


def test_a_request_costs_what_it_adds() -> None:
    """By hand: 0.1 cores without any load, 2 ms a request; the overload does not count."""
    (cost,) = request_costs(watched([0.3, 0.5, 0.7, 0.9, 2.0]))
    assert isclose(cost.ms_per_request, 2.0)
    assert isclose(cost.background_cores, 0.1)
    assert cost.loads == 4


@pytest.mark.parametrize("cores", [[0.3, 0.5, 0.7], [0.9, 0.7, 0.5, 0.3], [0.5] * 4])
def test_a_cost_that_is_not_shown_is_not_given(cores: Sequence[float]) -> None:
    """Three loads make no line, and a line that does not rise is no cost."""
    assert request_costs(watched(cores)) == ()


def test_one_label_is_one_program() -> None:
    """Of two kinds of probe with one label the process's counts."""
    one, other = watched([0.3, 0.5, 0.7, 0.9]), watched([1.3, 1.5, 1.7, 1.9], "node")
    rows = [*one.sections["signals"]["steps"], *other.sections["signals"]["steps"]]
    (cost,) = request_costs(replace(one, sections={"signals": {"steps": rows}}))
    assert isclose(cost.background_cores, 0.1)


def test_an_invalid_step_tells_nothing() -> None:
    """Its signals are of a load that nobody knows."""
    result = watched([0.3, 0.5, 0.7, 0.9])
    steps = (record(0, 100.0, "invalid"), *result.steps[1:])
    result = replace(result, runs=(replace(result.runs[0], steps=steps),))
    assert {signal.step.index for signal in step_signals(result)} == {1, 2, 3}


@pytest.mark.parametrize(
    "section",
    [
        None,
        [],
        {"steps": 3},
        {"steps": [3]},
        {"steps": [{"run": 0, "index": 99, "signals": []}]},
        {"steps": [{"run": 0, "index": 0, "signals": 7}]},
        {"steps": [row(0, {"source": "app"})]},
        {"steps": [row(0, cpu("process", "app", 0.1) | {"mean": "much"})]},
        {"steps": [row(0, cpu("process", "app", float("nan")))]},
    ],
)
def test_a_section_of_another_shape_is_passed_over(section: object) -> None:
    """Files come from other versions and other people."""
    assert step_signals(replace(FOUND, sections={"signals": section})) == ()
