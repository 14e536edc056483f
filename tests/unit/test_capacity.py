"""From the breaking load of a node to what has to run."""

from dataclasses import replace
from math import ceil, isclose, sqrt
from pathlib import Path
from random import Random
from statistics import mean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st
from knees import broke_at, full, held
from results import FOUND

from breakstep.analysis.step_signals import request_costs
from breakstep.capacity.burst import burst_factor
from breakstep.capacity.database import connections_for
from breakstep.capacity.planning import plan_capacity
from breakstep.capacity.rated import rate_node
from breakstep.model.capacity import (
    CapacityPlan,
    DatabaseTerms,
    PeakDemand,
    PlanTerms,
    ScalingTerms,
)
from breakstep.model.errors import PlanError
from breakstep.model.finding import Alternative, Finding
from breakstep.model.record import Result
from breakstep.model.sweep import Usl
from breakstep.model.units import NS_PER_S
from breakstep.report.plan import headline
from breakstep.store.result_json import read_result

NODE_POOL = Path(__file__).parents[1] / "data" / "formats" / "result-1-node-pool.json"
PEAK = PlanTerms(PeakDemand(500.0))
OWN = full("cpu_workers")


def planned(
    *results: Result, terms: PlanTerms = PEAK, finding: Finding | None = OWN, usl: Usl | None = None
) -> CapacityPlan:
    """The plan of these runs, all of one diagnosis."""
    return plan_capacity(results, [finding] * len(results), usl, terms)


def nodes_of(*results: Result, terms: PlanTerms = PEAK) -> int:
    """The nodes of a plan that gives some."""
    fleet = planned(*results, terms=terms).fleet
    assert fleet is not None
    return fleet.nodes


def test_a_plan_made_by_hand() -> None:
    """150/s a node of which 70 % count, 500/s at the peak: 500 / 105 is 4.76, so 5 and 1 more."""
    plan = planned(broke_at(150.0), terms=replace(PEAK, headroom=0.7))
    assert plan.fleet is not None
    assert isclose(plan.rated_per_node, 105.0)
    assert (plan.fleet.nodes, plan.fleet.spare) == (6, 1)
    assert isclose(plan.fleet.remaining_per_s, 5 * 105.0)
    assert isclose(plan.fleet.headroom, 1 - 500 / (6 * 150))


def test_connections_made_by_hand() -> None:
    """Six nodes and a seventh while a deployment rolls, 20 each: 140, and 97 are to be had."""
    database = DatabaseTerms(pool=20, max_connections=100)
    plan = planned(broke_at(150.0), terms=replace(PEAK, headroom=0.7, database=database))
    found = plan.database
    assert (found.connections, found.steady, found.limit, found.fits) == (140, 120, 97, False)
    assert found.pool_at_most == 97 // 7
    assert found.remedy is not None
    assert "a pool of at most 13" in found.remedy
    assert "max_connections of at least 143" in found.remedy
    assert "pooler" in found.remedy


@pytest.mark.parametrize("most", [143, 200])
def test_connections_that_are_to_be_had_fit(most: int) -> None:
    """As many as there are is enough."""
    database = DatabaseTerms(pool=20, max_connections=most)
    plan = planned(broke_at(150.0), terms=replace(PEAK, headroom=0.7, database=database))
    assert plan.database.fits is True
    assert plan.database.remedy is None


def test_several_runs_are_rated_by_the_bound_for_the_next_one() -> None:
    """K̄ − t · s · √(1 + 1/n), with Student's t of the table: 2.132 for four degrees of freedom."""
    knees = [140.0, 150.0, 155.0, 148.0, 157.0]
    plan = planned(*(broke_at(knee) for knee in knees))
    expected = mean(knees) - 2.131847 * stdev(knees) * sqrt(1 + 1 / 5)
    assert isclose(plan.rated.per_s, expected, rel_tol=1e-6)
    assert plan.rated.caveats == ()
    assert plan.fleet is not None
    assert plan.fleet.nodes == 1 + ceil(500 / expected)
    assert (plan.fleet.together_per_s or 0.0) > plan.fleet.remaining_per_s


@pytest.mark.parametrize("runs", [2, 5])
def test_the_next_node_stays_above_as_often_as_promised(runs: int) -> None:
    """Nodes that carry 150/s with a deviation of 3 %: 95 of 100 bounds hold for one more."""
    seed, held_true, plans = 20261201, 0, 2000
    random = Random(seed)  # noqa: S311  a simulation
    for _ in range(plans):
        *measured, following = (random.gauss(150.0, 4.5) for _ in range(runs + 1))
        rated = rate_node([broke_at(knee) for knee in measured], None, 1)
        held_true += following >= rated.per_s
    assert 0.935 <= held_true / plans <= 0.965, seed


@given(st.floats(0.0, 0.04), st.floats(1.05, 2.0))
def test_the_result_widens_with_the_spread_of_runs(spread: float, more: float) -> None:
    """Runs that lie farther apart never ask for fewer nodes, nor for a narrower range of them."""
    shape = (-1.0, -0.5, 0.0, 0.5, 1.0)
    near, far = (
        planned(*(broke_at(150.0 * (1.0 + share * at)) for at in shape))
        for share in (spread, spread * more)
    )
    assert near.fleet is not None
    assert far.fleet is not None
    assert far.rated.per_s <= near.rated.per_s
    assert far.fleet.nodes >= near.fleet.nodes
    assert far.fleet.range_nodes[0] <= near.fleet.range_nodes[0]
    assert (far.fleet.range_nodes[1] or 0) >= (near.fleet.range_nodes[1] or 0) > 0


def test_one_run_counts_for_the_lower_end_of_its_interval() -> None:
    """And says that nothing is known of the next start."""
    plan = planned(broke_at(150.0, (141.0, 158.0)))
    assert plan.rated.per_s == 141.0
    assert any("One run" in caveat for caveat in plan.caveats)


def test_a_run_without_a_line_counts_for_what_held() -> None:
    """Between the load that held and the one that broke nothing is promised."""
    assert planned(held(100.0, 150.0)).rated.per_s == 100.0


def test_a_run_that_never_broke_is_a_lower_bound() -> None:
    """It is planned with, and said to be too careful."""
    plan = planned(held(100.0, None))
    assert plan.rated.per_s == 100.0
    assert any("Did not break" in caveat for caveat in plan.caveats)


def test_repeats_within_a_run_count_one_by_one() -> None:
    """Three passes of one search are three runs, each by the load that held."""
    passes = tuple(replace(FOUND.runs[0], sustainable_per_s=rate) for rate in (390.0, 400.0, 410.0))
    plan = planned(replace(FOUND, runs=passes))
    assert (plan.rated.runs, plan.rated.mean_per_s) == (3, 400.0)


def test_two_runs_far_apart_give_no_number() -> None:
    """A bound below zero is no capacity."""
    with pytest.raises(PlanError, match="give no bound for the next node"):
        planned(broke_at(100.0), broke_at(200.0))


def test_a_headroom_does_not_hide_how_far_apart_runs_lie() -> None:
    """Two runs at 100/s and 200/s are planned with if told so, and the worst case has no end."""
    plan = planned(broke_at(100.0), broke_at(200.0), terms=replace(PEAK, headroom=0.7))
    assert plan.fleet is not None
    assert (plan.fleet.nodes, plan.fleet.range_nodes[1]) == (6, None)
    assert "or more by what the next node" in headline(plan)
    assert any("66.7 % apart" in caveat for caveat in plan.caveats)


def test_every_run_without_an_answer_is_named() -> None:
    """At once, with what its answer is."""
    untrusted = replace(FOUND.answer, status="untrusted", sustainable_per_s=None)
    broken = [replace(FOUND, id=name, answer=untrusted) for name in ("one", "two")]
    with pytest.raises(PlanError) as caught:
        planned(*broken, replace(FOUND, id="three", command="doctor"))
    assert [fault.partition(":")[0] for fault in caught.value.faults] == ["one", "two", "three"]


def test_runs_on_other_terms_and_runs_named_twice_do_not_go_together() -> None:
    """Each is named, with what differs."""
    first, other = broke_at(150.0, name="first"), broke_at(151.0, name="other")
    strict = replace(other, plan={**other.plan, "slos": ["p95<100ms"]})
    with pytest.raises(PlanError) as caught:
        planned(first, first, strict)
    assert caught.value.faults[0].startswith("first: named twice")
    assert caught.value.faults[1].startswith("other: its slos is p95<100ms, that of first")


def test_evenly_spaced_arrivals_are_warned_of() -> None:
    """Users do not come evenly spaced, and break a node earlier."""
    even = replace(broke_at(150.0), plan={**FOUND.plan, "arrivals": "uniform"})
    assert any("Evenly spaced" in caveat for caveat in planned(even).caveats)


def test_a_shared_rival_leaves_it_open_whether_nodes_help() -> None:
    """It was the pool, or the database behind it, at which nobody looked."""
    rival = Alternative("database_cpu", None, "It may have been.", "add --probe postgres:DSN")
    finding = replace(full("connection_pool", "node:x pool pg", "medium"), alternatives=(rival,))
    plan = planned(broke_at(150.0), finding=finding)
    assert plan.linear.supported is None
    assert plan.linear.remedy == "add --probe postgres:DSN"


def test_growth_bursts_and_imbalance_multiply() -> None:
    """500 · 1.2 · 1.5 over 150 / 1.25 is 7.5: 8 nodes and 2 that may fail."""
    demand = PeakDemand(500.0, growth=0.5, burst=1.2, failures=2, imbalance=1.25)
    assert nodes_of(broke_at(150.0), terms=PlanTerms(demand, headroom=1.0)) == 10


def test_runs_on_several_nodes_are_shared_out() -> None:
    """300/s on two nodes is 150/s on each."""
    assert planned(broke_at(300.0), terms=replace(PEAK, measured_on=2)).rated.mean_per_s == 150.0


def test_nodes_that_are_asked_for_are_checked_with_some_down() -> None:
    """Five of which one may fail carry 420/s: too little for 500/s."""
    plan = planned(broke_at(150.0), terms=replace(PEAK, headroom=0.7, nodes=5))
    assert plan.fleet is not None
    assert not plan.fleet.holds
    assert isclose(plan.fleet.remaining_per_s, 420.0)
    assert (plan.fleet.nodes, plan.fleet.needed) == (5, 6)


def test_each_assumption_is_taken_away_alone() -> None:
    """By hand: 500 · 1.3 / 105 is 6.2, so 8; without growth 6, with the whole knee 6, all up 7."""
    terms = PlanTerms(PeakDemand(500.0, growth=0.3), headroom=0.7)
    without = {
        row.name: row.nodes_without for row in planned(broke_at(150.0), terms=terms).assumptions
    }
    assert without == {
        "headroom": 6,
        "growth": 6,
        "burst": 8,
        "imbalance": 8,
        "failures": 7,
        "linear": None,
    }


@pytest.mark.parametrize(
    "finding",
    [
        full("database_cpu", "db"),
        full("connection_pool", "pgbouncer:127.0.0.1:6432"),
        full("config_error", "db max_connections", "medium"),
    ],
    ids=lambda finding: finding.kind,
)
def test_what_nodes_share_gives_no_number_of_them(finding: Finding) -> None:
    """More nodes would ask the same database for more; the plan says what to do instead."""
    plan = planned(broke_at(150.0), finding=finding)
    assert plan.fleet is None
    assert plan.linear.supported is False
    assert "search again" in (plan.linear.remedy or "")
    assert plan.database.connections is None


def test_what_nodes_share_may_be_planned_over_on_demand() -> None:
    """--linear says that the reader knows better."""
    shared = full("database_cpu", "db")
    plan = planned(broke_at(150.0), finding=shared, terms=replace(PEAK, linear=True, headroom=0.7))
    assert plan.fleet is not None
    assert plan.fleet.nodes == 6


def test_a_demand_within_what_was_measured_needs_no_more_of_what_is_shared() -> None:
    """One node carried it; the second only takes its place."""
    low = PlanTerms(PeakDemand(100.0), headroom=0.7)
    plan = planned(broke_at(150.0), finding=full("database_cpu", "db"), terms=low)
    assert plan.fleet is not None
    assert plan.fleet.nodes == 2


@pytest.mark.parametrize(
    "finding",
    [
        None,
        full("not_observed", confidence="low"),
        full("io_workers"),
        full("database_cpu", "db", "low"),
    ],
)
def test_where_nobody_can_tell_linear_growth_is_assumed_and_said(finding: Finding | None) -> None:
    """Nodes are given, with what would settle it."""
    plan = planned(broke_at(150.0), finding=finding)
    assert plan.fleet is not None
    assert plan.linear.supported is None
    assert "--measured-on 2" in (plan.linear.remedy or "")
    assert plan.assumptions[-1].source == "assumed"


def test_the_worst_diagnosis_of_several_runs_counts() -> None:
    """One run in which the database was full is enough."""
    results = [broke_at(150.0), broke_at(151.0)]
    assert plan_capacity(results, [OWN, full("database_cpu", "db")], None, PEAK).fleet is None


def test_the_autoscaler_starts_early_enough() -> None:
    """By hand: 6 nodes share 3/s more each second for 60 s, 30 each; so 75 of 105."""
    scaling = ScalingTerms(3.0, 60 * NS_PER_S)
    found = planned(broke_at(150.0), terms=replace(PEAK, headroom=0.7, scaling=scaling)).autoscale
    assert found.at_per_s is not None
    assert isclose(found.at_per_s, 75.0)
    assert isclose(found.down_per_s or 0.0, 0.8 * 75.0 * 5 / 6)
    assert found.down_after_s == 180.0


def test_an_autoscaler_that_comes_too_late_has_no_threshold() -> None:
    """60/s more a node of 105 leave less than half: spare nodes do better."""
    scaling = ScalingTerms(6.0, 60 * NS_PER_S)
    found = planned(broke_at(150.0), terms=replace(PEAK, headroom=0.7, scaling=scaling)).autoscale
    assert found.at_per_s is None
    assert "too late" in found.says


def test_limits_come_from_the_slack_and_from_littles_law() -> None:
    """By hand: 105/s · (200 − 36) ms is 17 at once; 105/s · 64 ms are 6.7 in flight, so 14.7."""
    steps = FOUND.runs[0].steps
    slow = replace(steps[2], response_ms=replace(steps[2].response_ms, mean=64.0))
    runs = (replace(FOUND.runs[0], steps=(*steps[:2], slow, steps[3])),)
    found = planned(replace(broke_at(150.0), runs=runs), terms=replace(PEAK, headroom=0.7)).limits
    assert (found.burst, found.concurrency) == (17, 15)


def test_an_slo_of_another_version_leaves_the_burst_open() -> None:
    """What cannot be read gives no slack; the rest of the plan stands."""
    run = broke_at(150.0)
    strange = replace(run, plan={**run.plan, "slos": ["p95<<200 parsecs"]})
    found = planned(strange, terms=replace(PEAK, headroom=0.7))
    assert found.limits.burst is None
    assert found.fleet is not None


def test_no_more_users_are_let_in_than_throughput_peaks_at() -> None:
    """Where a sweep saw throughput fall beyond nine users, nine are the limit."""
    usl = Usl(0.02, 0.01, 30.0, 9.9, None, None, None, None, None, 8, valid=True, why="")
    heavy = replace(PEAK, headroom=1.0)
    found = planned(broke_at(1500.0), terms=heavy, usl=usl).limits
    assert found.concurrency == 9
    assert "throughput falls" in found.says


def test_runs_show_their_own_connections() -> None:
    """The pool, what PostgreSQL grants besides our probe's own, and how long one is held."""
    plan = planned(read_result(NODE_POOL), finding=full("connection_pool", "node:x pool pg"))
    assert (plan.database.per_node, plan.database.limit, plan.database.fits) == (5, 97, True)
    assert plan.database.pool_least is not None
    assert plan.database.says.endswith("(pool and max_connections as the run showed)")


def test_flags_count_before_what_runs_show() -> None:
    """A what-if of another pool."""
    terms = replace(PEAK, database=DatabaseTerms(pool=20, processes=2, max_connections=500))
    plan = planned(read_result(NODE_POOL), terms=terms)
    assert (plan.database.per_node, plan.database.limit) == (40, 497)


def test_the_cpu_of_the_demand_is_the_slope_without_the_background() -> None:
    """By hand from the stored run: its app's steps lie on a line."""
    costs = {cost.source: cost for cost in planned(read_result(NODE_POOL)).cpu}
    assert costs["app"].cores_at_demand == costs["app"].ms_per_request / 1000.0 * 500.0
    assert 0.0 < costs["app"].ms_per_request < 5.0


def test_a_threshold_of_load_is_one_of_cpu_too() -> None:
    """What an autoscaler that only sees CPU has to be set to: the line at that load."""
    terms = replace(PEAK, headroom=0.7, scaling=ScalingTerms(1.0, 10 * NS_PER_S))
    plan = planned(read_result(NODE_POOL), terms=terms)
    (cost,) = (cost for cost in request_costs(read_result(NODE_POOL)) if cost.source == "app")
    (cpu,) = (cpu for cpu in plan.cpu if cpu.source == "app")
    line = cost.background_cores + cost.ms_per_request / 1000.0 * (plan.autoscale.at_per_s or 0.0)
    assert isclose(cpu.cores_at_threshold or 0.0, line)


def test_few_connections_do_for_short_queries() -> None:
    """Erlang C by hand: 5 busy of 11 make 1.5 % wait, of 12 0.59 %."""
    assert connections_for(500.0, 0.01) == 12
    assert connections_for(0.001, 0.001) == 1


def test_what_chance_does_is_no_burst() -> None:
    """Counts of independent users have a factor near 1, doubled seconds one near 2."""
    calm = [100] * 997 + [131] * 3
    assert burst_factor(calm) == 1.0
    twice = [100] * 990 + [200] * 10
    assert isclose(burst_factor(twice), 200 / 101 - 3.1 / sqrt(101))


@pytest.mark.parametrize(("counts", "words"), [([1] * 999, "too few"), ([0] * 1000, "no request")])
def test_counts_that_tell_nothing_are_refused(counts: list[int], words: str) -> None:
    """A quantile of a thousandth takes a thousand windows with something in them."""
    with pytest.raises(ValueError, match=words):
        burst_factor(counts)
