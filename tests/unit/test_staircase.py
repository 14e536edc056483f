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
    assert rates(history) == [100.0, 200.0, 200.0]
    assert (done.stop_reason, done.why) == ("broken", "200/s failed twice")


def test_one_window_that_failed_does_not_decide() -> None:
    """Two more that hold overrule it, and the climb goes on."""
    history, done = search(STEPS, scripted("pass", "fail", "pass", "pass", "pass"))
    assert rates(history) == [100.0, 200.0, 200.0, 200.0, 300.0]
    assert done.stop_reason == "ceiling"


def test_two_of_three_windows_decide() -> None:
    """One that held in between does not save the load."""
    history, done = search(STEPS, scripted("pass", "fail", "pass", "fail"))
    assert rates(history) == [100.0, 200.0, 200.0, 200.0]
    assert done.stop_reason == "broken"


def test_a_fail_stands_when_it_cannot_be_measured_again() -> None:
    """A generator that is disturbed from then on does not take it back."""
    history, done = search(STEPS, scripted("pass", "fail", "invalid", "invalid"))
    assert (len(history), done.stop_reason) == (4, "broken")
    assert done.why == "200/s failed once, and could not be measured again"


def test_all_loads_held_is_a_ceiling() -> None:
    """A service better than the staircase is not given a breaking point."""
    history, done = search(STEPS, capacity(1000.0))
    assert (len(history), done.stop_reason) == (3, "ceiling")


def test_a_first_load_that_fails_is_a_floor() -> None:
    """Nothing below it was measured, so nothing is said to hold."""
    assert search(STEPS, capacity(50.0))[1].stop_reason == "floor"


def test_an_invalid_step_is_measured_once_more() -> None:
    """One bad moment of the generator does not end the search."""
    history, done = search(STEPS, scripted("pass", "invalid", "pass", "fail", "fail"))
    assert rates(history) == [100.0, 200.0, 200.0, 300.0, 300.0]
    assert done.stop_reason == "broken"


def test_a_step_invalid_twice_ends_the_search_untrusted() -> None:
    """The second invalid step at a load is the last."""
    history, done = search(STEPS, scripted("pass", "invalid", "invalid"))
    assert (len(history), done.stop_reason) == (3, "untrusted")
    assert done.why.startswith("200/s was invalid twice: ")


def test_to_the_end_it_goes_on_after_a_failure() -> None:
    """What lies beyond the break is shown, once; the break is still the lowest that failed."""
    history, done = search(TO_THE_END, capacity(150.0))
    assert rates(history) == [100.0, 200.0, 200.0, 300.0]
    assert (done.stop_reason, done.why) == ("broken", "200/s failed twice")


def test_to_the_end_a_floor_is_still_a_floor() -> None:
    """Loads above a first one that failed do not make it hold."""
    history, done = search(TO_THE_END, capacity(50.0))
    assert (len(history), done.stop_reason) == (4, "floor")


def test_to_the_end_all_loads_held_is_a_ceiling() -> None:
    """Without a failure both kinds of staircase end alike."""
    assert search(TO_THE_END, capacity(1000.0)) == search(STEPS, capacity(1000.0))


@pytest.mark.parametrize("staircase", [STEPS, TO_THE_END])
@given(verdicts=st.lists(st.sampled_from(VERDICTS), min_size=18, max_size=18))
def test_it_ends_whatever_the_verdicts(staircase: Staircase, verdicts: list[VerdictName]) -> None:
    """Three windows with a verdict settle a load, and before each may be one without."""
    history, _ = search(staircase, scripted(*verdicts))
    assert len(history) <= 6 * len(STEPS.rates_per_s)
