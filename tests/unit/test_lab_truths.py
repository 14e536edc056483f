"""The truths that experiments are made of, against results whose answer is known."""

from dataclasses import replace

import pytest
from fakes import record, with_failures
from results import FOUND, result, staircase
from sweeps import four_servers, level, swept

from breakstep.lab.experiment import Measured, Truth
from breakstep.lab.knees import knee_of
from breakstep.lab.sweeps import flat, flattens, knee_at, little, longer, worst_little
from breakstep.lab.truths import (
    completes_near,
    errors_share,
    knee_near,
    names,
    ratio_of_knees,
    same_within_a_step,
)
from breakstep.model.record import Answer, Result, Trust
from breakstep.model.sweep import Sweep
from breakstep.search.controller import Done
from breakstep.store.sweep_json import to_section


def test_a_knee_is_a_bracket() -> None:
    """390 held and 400 broke; a ceiling has no upper end, a floor no lower one."""
    assert str(knee_of(Measured(FOUND))) == "390 to 400/s"
    assert str(knee_of(answered("above_ceiling", 500.0, None))) == "above 500/s"
    assert str(knee_of(answered("below_floor", None, 50.0))) == "below 50/s"
    assert knee_of(answered("untrusted", None, None)) is None
    assert knee_of(Measured()) is None


@pytest.mark.parametrize(
    ("truth", "ok"),
    [
        (ratio_of_knees("a", "b", at_least=1.9, at_most=2.1), True),
        (ratio_of_knees("a", "b", at_least=2.1), False),
        (ratio_of_knees("a", "c", at_least=1.0), None),
        (same_within_a_step("a", "a"), True),
        (same_within_a_step("a", "b"), False),
        (same_within_a_step("a", "c"), None),
        (knee_near("a", 395.0, within=0.01), True),
        (knee_near("a", lambda measured: measured.facts["expected"], within=0.1), True),
        (knee_near("a", 500.0, within=0.1), False),
        (knee_near("c", 500.0, within=0.1), None),
    ],
)
def test_breaking_points_are_compared_as_brackets(truth: Truth, ok: bool | None) -> None:  # noqa: FBT001
    """One that could not be found is judged by nobody."""
    found = {
        "a": Measured(FOUND, facts={"expected": 400.0}),
        "b": answered("found", 195.0, 200.0),
        "c": answered("untrusted", None, None),
    }
    assert truth.judge(found).ok is ok


@pytest.mark.parametrize(
    ("kind", "resource", "ok"),
    [("event_loop", "app", True), ("event_loop", "^db", False), ("database_cpu", "", False)],
)
def test_a_diagnosis_is_held_to_kind_and_resource(kind: str, resource: str, ok: bool) -> None:  # noqa: FBT001
    """The resource is a pattern."""
    said = {"kind": "event_loop", "resource": "node of app", "confidence": "high"}
    found = {"a": Measured(replace(FOUND, sections={"diagnosis": said}))}
    assert names("a", kind, resource).judge(found).ok is ok


def test_without_a_breaking_point_no_diagnosis_is_judged() -> None:
    """What was not trusted explains nothing."""
    found = {"a": answered("untrusted", None, None)}
    assert names("a", "event_loop").judge(found).ok is None


@pytest.mark.parametrize(("expected", "ok"), [(0.2, True), (0.25, False)])
def test_a_share_of_failures_has_to_be_the_same_at_every_load(expected: float, ok: bool) -> None:  # noqa: FBT001
    """Within two points of what is expected, in each step."""
    steps = [record(k, 100.0 * (k + 1)) for k in range(3)]
    steps = [with_failures(step, http_error=step.arrivals // 5) for step in steps]
    steps = [replace(step, ok=step.arrivals - step.arrivals // 5) for step in steps]
    found = {"a": Measured(result(steps, Done("ceiling", "")))}
    assert errors_share("a", expected, within=0.02).judge(found).ok is ok


def test_steps_that_were_not_trusted_count_for_no_truth() -> None:
    """With none left nothing can be judged."""
    steps = [replace(step, trust=Trust("invalid")) for step in staircase()]
    found = {"a": Measured(result(steps, Done("untrusted", "")))}
    assert errors_share("a", 0.0, within=0.02).judge(found).ok is None
    assert completes_near("a", 390.0, within=0.1).judge(found).ok is None


def test_the_most_that_is_completed_is_held_to_a_law() -> None:
    """390 completed at best, 395 expected: within a tenth and not within a hundredth."""
    found = {"a": Measured(FOUND)}
    assert completes_near("a", 395.0, within=0.1).judge(found).ok is True
    assert completes_near("a", 500.0, within=0.1).judge(found).ok is False


@pytest.mark.parametrize(
    ("truth", "ok"),
    [
        (little("a", within=0.01), True),
        (flattens("a", to_below=1.1), True),
        (flat("a", within=0.1), False),
        (longer("a", at_least=10.0), True),
        (longer("a", at_least=100.0), False),
    ],
)
def test_a_sweep_of_four_servers_flattens_at_four(truth: Truth, ok: bool) -> None:  # noqa: FBT001
    """800/s from four users on, and 32 times the response time at 128."""
    measured = Measured(of_sweep(four_servers()))
    assert truth.judge({"a": measured}).ok is ok
    assert knee_at(measured) == "4"
    assert worst_little(measured) == "within 0 %"


def test_one_server_is_flat_from_the_first_user_on() -> None:
    """And has no law of its own to break."""
    levels = [level(users, 200.0) for users in (1, 2, 4)]
    assert flat("a", within=0.05).judge({"a": Measured(of_sweep(swept(*levels)))}).ok is True


@pytest.mark.parametrize(("longest_ms", "ok"), [(1500.0, None), (100.0, False)])
def test_a_law_that_a_pause_at_the_edge_explains_is_not_missed(
    longest_ms: float, *, ok: bool | None
) -> None:
    """Off by 20 % in five seconds: a pause of 1.5 s may do that, one of 100 ms may not."""
    steady = level(4, 200.0)
    laws = replace(steady.laws, little_error=0.2)
    off = replace(steady, laws=laws, response_ms=replace(steady.response_ms, max=longest_ms))
    measured = Measured(of_sweep(swept(level(2, 200.0), off)))
    assert little("a", within=0.01).judge({"a": measured}).ok is ok


def test_a_level_that_cannot_be_used_leaves_a_sweep_unjudged() -> None:
    """Whatever the other levels say."""
    levels = (level(1, 200.0), level(2, 200.0, trust="invalid"))
    held = flat("a", within=0.05).judge({"a": Measured(of_sweep(swept(*levels)))})
    assert held.ok is None
    assert "2 users" in held.ours


def answered(status: str, sustainable: float | None, broken: float | None) -> Measured:
    """A search with this answer."""
    answer = Answer(status, sustainable, broken)  # type: ignore[arg-type]
    return Measured(replace(FOUND, answer=answer))


def of_sweep(found: Sweep) -> Result:
    """The result that holds a sweep."""
    return replace(FOUND, command="sweep", runs=(), sections={"sweep": to_section(found)})
