"""Two runs against each other."""

from dataclasses import replace
from math import exp, hypot, isclose, log
from pathlib import Path
from random import Random

import pytest
from fakes import record
from hypothesis import given
from hypothesis import strategies as st
from knees import broke_at, held
from results import FOUND

from breakstep.analysis.likeness import unlike
from breakstep.analysis.run_comparison import compare
from breakstep.model.comparison import KneeChange
from breakstep.model.record import Result
from breakstep.store.result_json import read_result

NODE_POOL = Path(__file__).parents[1] / "data" / "formats" / "result-1-node-pool.json"


def change(before: Result, after: Result) -> KneeChange:
    """How far the knee moved."""
    return compare(before, after).knee


def with_plan(result: Result, **words: object) -> Result:
    """The run with other words in its plan."""
    return replace(result, plan={**result.plan, **words})


def with_environment(result: Result, **words: object) -> Result:
    """The run on another machine."""
    return replace(result, environment={**result.environment, **words})


def test_a_run_is_like_itself() -> None:
    """Nothing differs, nothing moved, every load is common."""
    found = compare(FOUND, FOUND)
    assert found.unlike == ()
    assert found.compared
    assert found.knee.direction == "not_told_apart"
    assert [load.before_per_s for load in found.loads] == [300.0, 350.0, 390.0, 400.0]


def test_the_interval_of_a_change_adds_the_uncertainties_at_right_angles() -> None:
    """By hand, on the logarithms: 100 (90 … 110) to 150 (135 … 165)."""
    found = change(broke_at(100.0), broke_at(150.0))
    assert found.interval is not None
    low = exp(log(1.5) - hypot(log(150 / 135), log(110 / 100))) - 1.0
    high = exp(log(1.5) + hypot(log(165 / 150), log(100 / 90))) - 1.0
    assert isclose(found.interval[0] or 0.0, low)
    assert isclose(found.interval[1] or 0.0, high)
    assert (found.direction, found.basis) == ("higher", "knee")
    assert isclose(found.change or 0.0, 0.5)


def test_the_other_way_round_it_is_lower() -> None:
    """The same runs, the same sureness."""
    assert change(broke_at(150.0), broke_at(100.0)).direction == "lower"


def test_intervals_that_meet_tell_nothing_apart() -> None:
    """100 (90 … 110) and 105 may be the same."""
    assert change(broke_at(100.0), broke_at(105.0)).direction == "not_told_apart"


def test_the_interval_covers_as_often_as_it_says() -> None:
    """Knees measured with a normal error of 3 %: at least 94 of 100 intervals hold the truth."""
    seed = 20261130
    random, covered, truth = Random(seed), 0, 1.1  # noqa: S311  a simulation
    for _ in range(2000):
        knees = [load * exp(random.gauss(0.0, 0.03)) for load in (100.0, 100.0 * truth)]
        runs = [broke_at(k, (k * exp(-1.96 * 0.03), k * exp(1.96 * 0.03))) for k in knees]
        interval = change(*runs).interval
        assert interval is not None
        covered += (interval[0] or 0.0) <= truth - 1.0 <= (interval[1] or 0.0)
    assert 0.94 <= covered / 2000 <= 0.96, seed


@pytest.mark.parametrize(
    ("before", "after", "interval", "direction"),
    [
        (held(100.0, 110.0), held(120.0, 130.0), (120 / 110 - 1, 130 / 100 - 1), "higher"),
        (held(100.0, 110.0), held(105.0, 130.0), (105 / 110 - 1, 130 / 100 - 1), "not_told_apart"),
        (held(100.0, 110.0), held(150.0, None), (150 / 110 - 1, None), "higher"),
        (held(100.0, None), held(50.0, 60.0), (None, 60 / 100 - 1), "lower"),
        (held(100.0, None), held(120.0, None), (None, None), "not_told_apart"),
    ],
)
def test_loads_that_held_and_broke_bound_the_change(
    before: Result, after: Result, interval: tuple[float | None, float | None], direction: str
) -> None:
    """An end is open where a run never broke."""
    found = change(before, after)
    assert found.interval == pytest.approx(interval)
    assert (found.direction, found.basis) == (direction, "bounds")


@given(
    st.tuples(st.floats(10.0, 1000.0), st.floats(10.0, 1000.0)),
    st.tuples(*(st.floats(1.0, 2.0) for _ in range(4))),
)
def test_both_ways_of_looking_agree(knees: tuple[float, ...], around: tuple[float, ...]) -> None:
    """The change from B to A undoes that from A to B, and its interval too."""
    one, other = knees
    a = broke_at(one, (one / around[0], one * around[1]))
    b = broke_at(other, (other / around[2], other * around[3]))
    there, back = change(a, b).interval, change(b, a).interval
    assert there is not None
    assert back is not None
    assert isclose((1.0 + (there[0] or 0.0)) * (1.0 + (back[1] or 0.0)), 1.0, rel_tol=1e-9)


@pytest.mark.parametrize("status", ["untrusted", "inconclusive"])
def test_a_run_without_an_answer_has_no_change(status: str) -> None:
    """And says so instead of a number."""
    answer = replace(FOUND.answer, status=status)  # type: ignore[arg-type]
    found = change(FOUND, replace(FOUND, answer=answer))
    assert (found.change, found.interval, found.direction) == (None, None, "unknown")
    assert status in found.says


@pytest.mark.parametrize(
    "other",
    [
        with_plan(FOUND, slos=["p95<300ms", "errors<1%"]),
        with_plan(FOUND, arrivals="uniform"),
        with_plan(FOUND, scenario={"method": "POST"}),
        with_plan(FOUND, scenarios=[{"name": "a", "weight": 1.0}, {"name": "b", "weight": 2.0}]),
        with_environment(FOUND, cores=4),
        with_environment(FOUND, cpu="another"),
    ],
)
def test_other_terms_forbid_a_comparison_until_it_is_insisted_on(other: Result) -> None:
    """A change would not be the service's."""
    found = compare(FOUND, other)
    assert not found.compared
    assert {difference.weight for difference in found.unlike} == {"decisive"}
    assert compare(FOUND, other, anyway=True).compared


@pytest.mark.parametrize(
    "other",
    [
        with_environment(FOUND, kernel="Linux 6.2"),
        with_environment(FOUND, breakstep="0.2.0"),
        with_plan(FOUND, hold_s=30.0),
        with_plan(FOUND, scenario={"path": "/v2"}),
    ],
)
def test_other_circumstances_are_flagged(other: Result) -> None:
    """They may matter, and are said."""
    found = compare(FOUND, other)
    assert found.compared
    assert [difference.weight for difference in found.unlike] == ["doubtful"]


@pytest.mark.parametrize(
    "other",
    [
        with_plan(FOUND, target={"url": "http://127.0.0.1:8081/"}),
        with_plan(FOUND, seed=2),
        with_plan(FOUND, demand={"peak": 500.0}, hash="another"),
        with_plan(FOUND, scenarios=[{"name": "only", "weight": 1.0}]),
        with_plan(FOUND, slos=["errors<1%", "p95<200ms"]),
        with_environment(FOUND, started_at="2026-01-02T03:04:05+00:00"),
    ],
)
def test_what_is_compared_may_differ(other: Result) -> None:
    """Two places of a service are what is compared; the order of SLOs means nothing."""
    assert unlike(FOUND, other) == ()


def test_loads_are_common_within_a_fiftieth() -> None:
    """396 is near 390 and near 400, 360 near neither 350 nor 390; an invalid step is none."""
    steps = (record(0, 396.0), record(1, 300.0, "invalid"), record(2, 360.0))
    other = replace(FOUND, runs=(replace(FOUND.runs[0], steps=steps),))
    pairs = [(load.before_per_s, load.after_per_s) for load in compare(FOUND, other).loads]
    assert pairs == [(390.0, 396.0), (400.0, 396.0)]


def test_of_several_steps_of_a_load_the_longest_speaks() -> None:
    """A window of more arrivals knows its quantiles better."""
    longer = replace(record(4, 300.0, p95_ms=99.0), arrivals=9000)
    other = replace(FOUND, runs=(replace(FOUND.runs[0], steps=(*FOUND.steps, longer)),))
    assert compare(FOUND, other).loads[0].after_ms.p95 == longer.response_ms.p95


def test_the_cpu_of_a_request_is_compared_program_by_program(tmp_path: Path) -> None:
    """One whose probe has another port by now is the same program."""
    moved = tmp_path / "result.json"
    moved.write_text(NODE_POOL.read_text().replace("node:127.0.0.1:36965", "node:127.0.0.1:41000"))
    found = compare(read_result(NODE_POOL), read_result(moved))
    assert found.unlike == ()
    costs = {cost.source: cost for cost in found.costs}
    assert set(costs) == {"app", "db", "node:127.0.0.1:36965"}
    assert all(cost.before_ms == cost.after_ms > 0.0 for cost in costs.values())
