"""Truths read from the signals of a run."""

from dataclasses import replace
from typing import Any

import pytest
from fakes import record, trust_of
from results import result

from breakstep.lab.experiment import Found, Measured
from breakstep.lab.readings import at_the_top, reads
from breakstep.search.controller import Done


def test_a_signal_is_read_at_the_highest_load_of_its_own_probe() -> None:
    """Neither another probe of the same name of signal nor a lighter load counts."""
    assert at_the_top(measured(), "db", "cpu") == 0.8
    assert at_the_top(measured(), "app", "cpu") == 0.3


def test_a_load_that_was_not_trusted_is_not_read() -> None:
    """The highest one that was trusted is read in its place."""
    assert at_the_top(measured(trust="invalid"), "db", "cpu") == 0.2


@pytest.mark.parametrize(
    ("at_least", "at_most", "holds"),
    [(0.7, None, True), (0.9, None, False), (None, 0.5, False), (0.5, 0.9, True)],
)
def test_a_signal_between_its_bounds_holds(
    at_least: float | None, at_most: float | None, *, holds: bool
) -> None:
    """Each bound by itself and both together."""
    truth = reads("run", "db", "cpu", at_least=at_least, at_most=at_most)
    held = truth.judge({"run": measured()})
    assert (held.ok, held.ours) == (holds, "0.8")


def test_a_signal_that_is_missing_is_not_judged() -> None:
    """A probe without samples shows nothing, neither good nor bad."""
    found: Found = {"run": measured()}
    assert reads("run", "db", "memory", at_least=1.0).judge(found).ok is None
    assert reads("run", "db", "cpu", at_least=1.0).judge({"run": Measured()}).ok is None


def measured(trust: str = "trusted") -> Measured:
    """Two loads, at each of which two probes saw some CPU; `trust` is of the higher one."""
    steps = [record(0, 100.0), replace(record(1, 200.0), trust=trust_of(trust))]
    found = result(steps, Done("ceiling", "it held"))
    signals = {"steps": [step(0, db=0.2, app=0.1), step(1, db=0.8, app=0.3)]}
    return Measured(replace(found, sections={"signals": signals}))


def step(index: int, **cores: float) -> dict[str, Any]:
    """As it stands in `result.json`."""
    signals = [{"source": source, "name": "cpu", "mean": mean} for source, mean in cores.items()]
    return {"run": 0, "index": index, "signals": signals}
