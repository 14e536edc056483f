"""The staircase controller."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from searching import SHAPE, capacity, rates, scripted, search

from breakstep.model.record import VerdictName
from breakstep.search.staircase import Staircase

STEPS = Staircase((100.0, 200.0, 300.0), SHAPE)
TO_THE_END = replace(STEPS, to_the_end=True)
VERDICTS: list[VerdictName] = ["pass", "fail", "undecided", "invalid"]


def test_it_stops_at_the_first_load_that_breaks() -> None:
    """Higher loads than the first that failed are not offered."""
    history, done = search(STEPS, capacity(150.0))
    assert rates(history) == [100.0, 200.0]
    assert (done.stop_reason, done.why) == ("broken", "200/s failed")


def test_all_loads_held_is_a_ceiling() -> None:
    """A service better than the staircase is not given a breaking point."""
    history, done = search(STEPS, capacity(1000.0))
    assert (len(history), done.stop_reason) == (3, "ceiling")


def test_a_first_load_that_fails_is_a_floor() -> None:
    """Nothing below it was measured, so nothing is said to hold."""
    assert search(STEPS, capacity(50.0))[1].stop_reason == "floor"


def test_an_invalid_step_is_measured_once_more() -> None:
    """One bad moment of the generator does not end the search."""
    history, done = search(STEPS, scripted("pass", "invalid", "pass", "fail"))
    assert rates(history) == [100.0, 200.0, 200.0, 300.0]
    assert done.stop_reason == "broken"


def test_a_step_invalid_twice_ends_the_search_untrusted() -> None:
    """The second invalid step at a load is the last."""
    history, done = search(STEPS, scripted("pass", "invalid", "invalid"))
    assert (len(history), done.stop_reason) == (3, "untrusted")
    assert done.why.startswith("200/s was invalid twice: ")


def test_to_the_end_it_goes_on_after_a_failure() -> None:
    """What lies beyond the break is shown, and the break is still the lowest load that failed."""
    history, done = search(TO_THE_END, capacity(150.0))
    assert rates(history) == [100.0, 200.0, 300.0]
    assert (done.stop_reason, done.why) == ("broken", "200/s failed")


def test_to_the_end_a_floor_is_still_a_floor() -> None:
    """Loads above a first one that failed do not make it hold."""
    history, done = search(TO_THE_END, capacity(50.0))
    assert (len(history), done.stop_reason) == (3, "floor")


def test_to_the_end_all_loads_held_is_a_ceiling() -> None:
    """Without a failure both kinds of staircase end alike."""
    assert search(TO_THE_END, capacity(1000.0)) == search(STEPS, capacity(1000.0))


@pytest.mark.parametrize("staircase", [STEPS, TO_THE_END])
@given(verdicts=st.lists(st.sampled_from(VERDICTS), min_size=12, max_size=12))
def test_it_ends_whatever_the_verdicts(staircase: Staircase, verdicts: list[VerdictName]) -> None:
    """No load is offered more than twice."""
    history, _ = search(staircase, scripted(*verdicts))
    assert len(history) <= 2 * len(STEPS.rates_per_s)
