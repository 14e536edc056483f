"""What a search will take."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from breakstep.analysis.effort import (
    SEARCHES,
    Guess,
    Spent,
    attained,
    forecast,
    warmup_ns,
    within_budget,
)
from breakstep.model.units import NS_PER_MS, NS_PER_S

GUESS = Guess(from_per_s=40.0, knee_per_s=400.0, warmup_ns=NS_PER_S, shortest_hold_ns=NS_PER_S)


def test_quick_takes_less_than_two_minutes_at_a_few_hundred_a_second() -> None:
    """Before any load, in words."""
    expected = forecast(SEARCHES["quick"], GUESS)
    assert 60.0 <= expected.duration_ns / NS_PER_S <= 120.0
    assert str(expected).endswith("the breaking load will be known to about 20 %")


def test_more_effort_costs_more_and_tells_more() -> None:
    """quick, standard, strict."""
    costs = [forecast(SEARCHES[effort], GUESS) for effort in ("quick", "standard", "strict")]
    assert costs == sorted(costs, key=lambda cost: cost.arrivals)
    assert costs == sorted(costs, key=lambda cost: -cost.width)


@given(st.integers(120, 20_000))
def test_a_budget_is_kept(seconds: int) -> None:
    """The search that is chosen is forecast to be over in time."""
    chosen = within_budget(seconds * NS_PER_S, GUESS)
    assert forecast(chosen, GUESS).duration_ns <= seconds * NS_PER_S


def test_a_tiny_budget_gets_the_shortest_search() -> None:
    """It takes what it takes; the forecast says so."""
    assert within_budget(NS_PER_S, GUESS).first_look == 300


def test_no_hold_is_shorter_than_the_shortest() -> None:
    """At a very high rate it is time that costs, not arrivals."""
    fast = replace(GUESS, from_per_s=4e5, knee_per_s=4e6)
    assert forecast(SEARCHES["quick"], fast).duration_ns >= 14 * (NS_PER_S + NS_PER_S)


def test_a_slow_service_is_warmed_up_longer() -> None:
    """Twenty unloaded responses; a service that is not to be warmed up is not."""
    assert warmup_ns(2 * NS_PER_S, NS_PER_MS) == 2 * NS_PER_S
    assert warmup_ns(2 * NS_PER_S, 500 * NS_PER_MS) == 10 * NS_PER_S
    assert warmup_ns(0, 500 * NS_PER_MS) == 0


def test_what_was_attained_is_said_in_the_words_of_the_forecast() -> None:
    """Requests, time, width."""
    spent = Spent(48_123, 120 * NS_PER_S)
    assert attained(spent, 0.1) == ("48 100 requests in 2 min; the breaking load is known to 10 %")
    assert attained(spent, None).endswith("; no breaking load was found")
