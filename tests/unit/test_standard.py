"""The statistical search as a rule from histories to steps."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from searching import SHAPE, capacity, rates, scripted, search

from breakstep.analysis.effort import LEISURELY_FROM
from breakstep.analysis.looks import level_of
from breakstep.model.plan import Plan, Scenario, Search, Target
from breakstep.model.record import Generator, StepRecord, VerdictName
from breakstep.model.units import NS_PER_S
from breakstep.search.answer import Terms
from breakstep.search.choice import controller_for
from breakstep.search.controller import Done
from breakstep.search.standard import STEPS_MAX, Standard
from breakstep.search.standard_answer import answer, run_record
from breakstep.search.trials import Bracket, Load

SHORT = Standard(10.0, None, 1_000, 3, 0.03, SHAPE)
LONG = replace(SHORT, first_look=20_000)
VERDICTS: list[VerdictName] = ["pass", "fail", "undecided", "invalid"]
TERMS = Terms((), assumed=False, arrivals="poisson")


def kinds(controller: Standard, history: list[StepRecord]) -> list[str]:
    """Of the steps of a history."""
    return [trial.step.kind for trial in controller.trials(history)]


@given(log_capacity=st.floats(0.5, 6.0), log_start=st.floats(0.0, 5.0))
def test_it_brackets_any_capacity(log_capacity: float, log_start: float) -> None:
    """With sure verdicts the edges lie within the width, each confirmed."""
    true_per_s = 10.0**log_capacity
    controller = replace(SHORT, from_per_s=10.0**log_start)
    history, done = search(controller, capacity(true_per_s))
    bracket = Bracket.of(controller.trials(history))
    assert done.stop_reason == "broken"
    assert bracket.low is not None
    assert bracket.high is not None
    assert bracket.low.confirmed
    assert bracket.high.confirmed
    low, high = bracket.low.rate_per_s, bracket.high.rate_per_s
    assert low <= true_per_s < high <= low * 1.03 * (1.0 + 1e-9)


@given(st.lists(st.sampled_from(VERDICTS), min_size=STEPS_MAX + 1, max_size=STEPS_MAX + 1))
def test_it_ends_whatever_it_is_told(verdicts: list[VerdictName]) -> None:
    """No sequence of verdicts keeps it going, and its trials are its history."""
    for controller in (SHORT, LONG):
        history, _ = search(controller, scripted(*verdicts))
        assert len(history) <= STEPS_MAX
        assert [t.record for t in controller.trials(history)] == history


def test_it_climbs_by_half_and_slower_once_in_doubt() -> None:
    """× 1.5 after a pass, × √1.5 from a load that stayed undecided."""
    history, _ = search(SHORT, scripted("pass", "undecided", "pass", "invalid", "invalid"))
    assert rates(history)[:4] == [10.0, 15.0, 18.4, 27.6]


def test_a_first_load_that_fails_sends_it_down() -> None:
    """To a quarter, until one passes."""
    controller = replace(SHORT, from_per_s=1000.0)
    assert rates(search(controller, capacity(100.0))[0])[:3] == [1000.0, 250.0, 62.5]


def test_looks_start_early_on_the_way_down_too() -> None:
    """At a quarter of the rate they take long: from 2 500 of 20 000 arrivals on, if it is many."""
    shape = replace(SHAPE, hold_ns=1)
    for first_look, first_s in ((20_000, 10.0), (1_000, 4.0)):
        controller = Standard(1_000.0, None, first_look, 3, 0.03, shape)
        history, _ = search(controller, capacity(1.0))
        step = controller.next_step(history[:1])
        assert not isinstance(step, Done)
        assert (step.rate_per_s, step.looks_ns[0] / 1e9) == (250.0, first_s)


def test_looks_double_and_start_early_on_the_way_up() -> None:
    """Low loads pass on little; near the edge the first look comes after `first_look`."""
    controller = replace(LONG, from_per_s=1000.0, shape=replace(SHAPE, hold_ns=1))
    first = controller.next_step([])
    assert not isinstance(first, Done)
    assert [look / 1e9 for look in first.looks_ns] == [2.5, 5.0, 10.0, 20.0, 40.0, 80.0]
    assert first.hold_ns == first.looks_ns[-1]


def test_no_look_comes_before_the_shortest_hold() -> None:
    """At a high rate the arrivals of a first look are there in no time."""
    first = replace(SHORT, from_per_s=1e6).next_step([])
    assert not isinstance(first, Done)
    assert first.looks_ns == (SHAPE.hold_ns,)


def test_confirmations_are_fresh_and_have_one_full_look() -> None:
    """Each edge is confirmed, and no two steps have a seed in common."""
    history, _ = search(SHORT, capacity(100.0))
    confirms = [t.step for t in SHORT.trials(history) if t.step.kind == "confirm"]
    assert len(confirms) >= 2
    assert all(len(step.looks_ns) == 1 for step in confirms)
    seeds = Counter(trial.step.seed for trial in SHORT.trials(history))
    assert set(seeds.values()) == {1}


def test_an_edge_that_is_not_confirmed_falls_back() -> None:
    """A pass that its confirmation leaves open is no longer the edge."""
    seen: Counter[float] = Counter()

    def verdict_at(rate_per_s: float) -> VerdictName:
        seen[rate_per_s] += 1
        if rate_per_s > 100.0:
            return "fail"
        return "undecided" if rate_per_s > 90.0 and seen[rate_per_s] > 1 else "pass"

    leisurely = replace(SHORT, first_look=LEISURELY_FROM)
    history, done = search(leisurely, verdict_at)
    bracket = Bracket.of(leisurely.trials(history))
    assert done.stop_reason == "broken"
    assert bracket.low is not None
    assert bracket.low.rate_per_s <= 90.0


def test_loads_that_a_disturbance_left_undecided_are_held_again() -> None:
    """Three in ten steps below the capacity tell nothing, confirmations too: the edges meet."""
    quick = replace(SHORT, first_look=1_500, looks=2, width=0.10)
    for seed in range(100):
        chances = iter(np.random.default_rng(seed).random(STEPS_MAX))

        def verdict_at(rate_per_s: float, chances: Iterator[float] = chances) -> VerdictName:
            if rate_per_s > 100.0:
                return "fail"
            return "undecided" if next(chances) < 0.3 else "pass"

        history, _ = search(quick, verdict_at)
        bracket = Bracket.of(quick.trials(history))
        assert bracket.low is not None, seed
        assert bracket.high is not None, seed
        assert bracket.high.rate_per_s <= 1.35 * bracket.low.rate_per_s, seed


def test_no_step_begins_when_the_budget_is_spent() -> None:
    """What is known by then is the answer: here both edges, a wide gap apart."""
    full, _ = search(LONG, capacity(100.0))
    began = full[0].window_from - SHAPE.warmup_ns / NS_PER_S
    spent_s = [step.window_to - began for step in full]
    budget_ns = round(spent_s[len(full) // 2] * NS_PER_S)
    history, done = search(replace(LONG, budget_ns=budget_ns), capacity(100.0))
    assert len(history) == len(full) // 2 + 1
    assert done.stop_reason == "budget"
    assert answer(LONG, history, done, TERMS).status == "found"


def test_a_load_that_is_never_decided_is_not_held_for_ever() -> None:
    """From half the capacity on nothing passes: three times at a load, and then the answer."""
    verdicts: list[VerdictName] = ["pass", "undecided", "fail"]
    quick = replace(SHORT, first_look=1_500, looks=2, width=0.10)
    history, done = search(quick, lambda rate: verdicts[(rate > 50.0) + (rate > 100.0)])
    assert done.stop_reason == "broken"
    assert len(history) <= 25
    assert max(Counter(rates(history)).values()) <= 3


def test_a_false_fail_on_the_way_up_is_overruled() -> None:
    """The confirmation takes it back, and the search climbs on."""
    hiccups = iter([True])

    def verdict_at(rate_per_s: float) -> VerdictName:
        hiccup = rate_per_s > 50.0 and next(hiccups, False)
        return "fail" if hiccup or rate_per_s > 400.0 else "pass"

    history, _ = search(SHORT, verdict_at)
    bracket = Bracket.of(SHORT.trials(history))
    assert bracket.low is not None
    assert 380.0 <= bracket.low.rate_per_s <= 400.0


def test_an_invalid_step_is_measured_again_and_a_second_one_ends_it() -> None:
    """Untrusted, whatever was known before."""
    history, done = search(SHORT, scripted("fail", "invalid", "invalid"))
    assert done.stop_reason == "untrusted"
    assert rates(history) == [10.0, 2.5, 2.5]
    _, held = search(SHORT, scripted("pass", "invalid", "invalid"))
    assert held.stop_reason == "untrusted"


@pytest.mark.parametrize(("share", "reason"), [(0.9, "ceiling"), (0.1, "untrusted")])
def test_only_a_generator_that_was_busy_has_a_ceiling(share: float, reason: str) -> None:
    """When all held. An idle one that was late was disturbed, and its ceiling is not known."""
    steps = [
        replace(step, generator=Generator(share, share, 0.0))
        for step in search(SHORT, scripted("pass", "invalid", "invalid"))[0]
    ]
    done = SHORT.next_step(steps)
    assert isinstance(done, Done)
    assert done.stop_reason == reason


def test_every_fourth_step_is_a_canary_once_the_knee_is_guessed() -> None:
    """At one rate, first when a load has passed and one has failed."""
    history, _ = search(LONG, capacity(100.0))
    named = kinds(LONG, history)
    first = named.index("canary")
    assert named[first : first + 6] == ["canary", *["search"] * 4, "canary"]
    assert "canary" not in kinds(SHORT, search(SHORT, capacity(100.0))[0])


def test_a_canary_that_drifts_twice_ends_it_without_a_number() -> None:
    """Once may be a hiccup."""

    def verdict_at(rate_per_s: float) -> VerdictName:
        return "fail" if rate_per_s > 100.0 or rate_per_s in canary_rates else "pass"

    canary_rates: set[float] = set()
    history, _ = search(LONG, verdict_at)
    trials = LONG.trials(history)
    canary_rates.update(t.step.rate_per_s for t in trials if t.step.kind == "canary")
    drifted, done = search(LONG, verdict_at)
    assert done.stop_reason == "untrusted"
    found = answer(LONG, drifted, done, TERMS)
    assert found.status == "untrusted"
    assert found.sustainable_per_s is None
    assert found.caveats[-1].startswith("Withheld: the service did not stay the same")


def test_the_answer_has_edges_and_knee() -> None:
    """Edges as in the run's own record, the knee between them."""
    history, done = search(SHORT, capacity(100.0))
    found, kept = answer(SHORT, history, done, TERMS), run_record(SHORT, history, done, 7)
    assert found.status == "found"
    assert (kept.sustainable_per_s, kept.broken_per_s) == found.range_per_s
    assert found.sustainable_per_s is not None
    assert found.knee_per_s is not None
    assert found.sustainable_per_s <= found.knee_per_s
    assert found.knee_interval_per_s == found.range_per_s


def test_a_load_that_passes_above_a_failing_one_is_seen() -> None:
    """The edges lie below; the load above is kept apart, to be measured again."""
    verdicts: dict[float, VerdictName] = {10.0: "pass", 12.0: "fail", 15.0: "pass", 20.0: "fail"}
    bracket = Bracket(tuple(Load(rate, (name,)) for rate, name in verdicts.items()))
    edges = (bracket.low, bracket.high, bracket.above)
    assert [load.rate_per_s for load in edges if load is not None] == [10.0, 12.0, 15.0]


def test_a_confirmed_load_is_not_overruled_by_a_step_that_tells_nothing() -> None:
    """One that was judged once is, and any load by a step that says the contrary."""
    assert Load(10.0, ("pass", "pass", "undecided")).standing == "pass"
    assert Load(10.0, ("pass", "undecided")).standing == "undecided"
    assert Load(10.0, ("pass", "pass", "fail")).standing == "fail"


def test_right_after_a_failing_load_the_low_edge_is_confirmed_first() -> None:
    """So that it is seen coming down, and the high edge coming up."""
    history, _ = search(SHORT, capacity(100.0))
    trials = SHORT.trials(history)
    first, second = [index for index, t in enumerate(trials) if t.step.kind == "confirm"][:2]
    down = trials[first - 1].verdict == "fail"
    assert (trials[first].verdict, trials[second].verdict) == (
        ("pass", "fail") if down else ("fail", "pass")
    )


FORETOLD = replace(LONG, foretold_per_s=(95.0, 105.0))


def test_a_search_begins_at_both_ends_of_a_prediction() -> None:
    """A width below and a width above: no ramp."""
    history, done = search(FORETOLD, capacity(100.0))
    assert rates(history)[:2] == [92.2, 108.0]
    assert done.stop_reason == "broken"


@pytest.mark.parametrize("true_per_s", [3.0, 40.0, 85.0, 130.0, 5_000.0])
def test_a_prediction_that_is_wrong_misleads_nobody(true_per_s: float) -> None:
    """Below it the search goes down in small steps, then in large ones; above it climbs."""
    history, done = search(FORETOLD, capacity(true_per_s))
    bracket = Bracket.of(FORETOLD.trials(history))
    assert done.stop_reason == "broken"
    assert bracket.low is not None
    assert bracket.high is not None
    low, high = bracket.low.rate_per_s, bracket.high.rate_per_s
    assert low <= true_per_s < high <= low * 1.07


def test_a_prediction_beyond_the_highest_load_allowed_is_not_followed() -> None:
    """The search starts where it would have."""
    limited = replace(FORETOLD, to_per_s=100.0)
    assert rates(search(limited, capacity(1_000.0))[0])[0] == LONG.from_per_s


def test_edges_near_a_prediction_are_confirmed_as_soon_as_they_can_be() -> None:
    """A quarter of full length may do; both looks share the chance of error."""
    history, _ = search(FORETOLD, capacity(100.0))
    confirms = [t.step for t in FORETOLD.trials(history) if t.step.kind == "confirm"]
    assert [len(step.looks_ns) for step in confirms[:2]] == [2, 2]
    assert level_of(confirms[0]) == 0.0125


def test_a_plan_with_a_search_gets_this_controller() -> None:
    """With its numbers, and the first rate that was measured where it names none."""
    target = Target("http://h/", "h", 80, tls=False, addresses=("127.0.0.1",))
    plan = Plan(target, (Scenario("GET", "/"),), Search(to_per_s=30.0, first_look=500))
    controller = controller_for(plan, 40.0)
    assert isinstance(controller, Standard)
    assert (controller.from_per_s, controller.first_look) == (30.0, 500)
