"""The section `effort` of a result."""

from dataclasses import replace

from fakes import record
from plans import URL, plan_of
from results import FOUND
from test_contact import answered

from breakstep.model.plan import Plan
from breakstep.plan.flags import Flags
from breakstep.session.contact import settled_plan
from breakstep.session.effort import effort_section

SLOW = answered(200, median_ns=20_000_000)


def planned(**flags: str) -> Plan:
    """As it is once the target has answered."""
    return settled_plan(plan_of(Flags(URL, slo=("p95<200ms",), **flags)), SLOW)  # type: ignore[arg-type]


def test_what_a_search_took_stands_beside_its_forecast() -> None:
    """Two holds of ten seconds with their warm-ups of one, and the width of the interval."""
    steps = (record(0, 100.0), record(1, 200.0, "fail"))
    found = replace(FOUND.answer, knee_interval_per_s=(100.0, 110.0))
    runs = (replace(FOUND.runs[0], steps=steps),)
    section = effort_section(planned(), SLOW, runs, found)["effort"]
    assert section["attained"]["requests"] == 11 * 100 + 11 * 200
    assert section["attained"]["duration_s"] == 11.0 + 15.0
    assert round(section["attained"]["width"], 6) == 0.1
    assert section["says"] == "3 300 requests in 26 s; the breaking load is known to 10 %"
    assert section["forecast"]["requests"] > 0


def test_several_runs_are_forecast_together() -> None:
    """Three times the one."""
    runs, found = FOUND.runs, FOUND.answer
    once = effort_section(planned(), SLOW, runs, found)["effort"]["forecast"]
    thrice = effort_section(replace(planned(), repeat=3), SLOW, runs, found)["effort"]["forecast"]
    assert thrice["requests"] == 3 * once["requests"]
    assert thrice["width"] == once["width"]


def test_loads_that_were_named_have_no_forecast() -> None:
    """Nor has a run that was over before its first step."""
    assert effort_section(planned(steps="100,200"), SLOW, FOUND.runs, FOUND.answer) == {}
    none = (replace(FOUND.runs[0], steps=()),)
    assert effort_section(planned(), SLOW, none, FOUND.answer) == {}
