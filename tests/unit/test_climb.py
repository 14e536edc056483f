"""The automatic search."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from searching import SHAPE, capacity, rates, scripted, search

from breakstep.model.record import VerdictName
from breakstep.search.climb import STEPS_MAX, Climb, legible, midway
from breakstep.search.ladder import Ladder

FROM_TEN = Climb(10.0, None, 0.05, SHAPE)
VERDICTS: list[VerdictName] = ["pass", "fail", "undecided", "invalid"]


@given(
    log_capacity=st.floats(0.0, 6.0),
    log_start=st.floats(0.0, 5.0),
    width=st.sampled_from([0.01, 0.03, 0.05, 0.2, 0.7]),
)
def test_it_brackets_any_capacity(log_capacity: float, log_start: float, width: float) -> None:
    """What held and what broke lie on both sides of the capacity, closer than the width."""
    true_per_s = 10.0**log_capacity
    history, done = search(Climb(10.0**log_start, None, width, SHAPE), capacity(true_per_s))
    ladder = Ladder.of(history)
    assert done.stop_reason == "broken"
    assert ladder.sustainable is not None
    assert ladder.broken is not None
    low, high = ladder.sustainable.rate_per_s, ladder.broken.rate_per_s
    assert low <= true_per_s < high <= low * (1.0 + width) * (1.0 + 1e-12)


@given(st.floats(0.0, 6.0))
def test_a_start_at_a_tenth_takes_few_steps(log_capacity: float) -> None:
    """From a tenth of the capacity: climb, narrow and confirm in at most 15 steps."""
    true_per_s = 10.0**log_capacity
    history, _ = search(Climb(true_per_s / 10.0, None, 0.05, SHAPE), capacity(true_per_s))
    assert len(history) <= 15


def test_both_ends_are_measured_twice() -> None:
    """One noisy window must not decide."""
    history, _ = search(FROM_TEN, capacity(100.0))
    ladder, times = Ladder.of(history), Counter(rates(history))
    assert ladder.sustainable is not None
    assert ladder.broken is not None
    assert times[ladder.sustainable.rate_per_s] == times[ladder.broken.rate_per_s] == 2


def test_a_fail_that_does_not_repeat_is_settled_by_a_third_window() -> None:
    """A hiccup on the way up is found out when the end is confirmed, and the climb goes on."""
    hiccups = iter([100.0])

    def verdict_at(rate_per_s: float) -> VerdictName:
        hiccup = rate_per_s > 50.0 and next(hiccups, None) is not None
        return "fail" if hiccup or rate_per_s > 400.0 else "pass"

    history, done = search(FROM_TEN, verdict_at)
    ladder = Ladder.of(history)
    assert done.stop_reason == "broken"
    assert ladder.sustainable is not None
    assert 380.0 <= ladder.sustainable.rate_per_s <= 400.0


def test_a_first_load_that_fails_sends_it_down() -> None:
    """A quarter of the load is tried until one holds."""
    assert rates(search(Climb(1000.0, None, 0.05, SHAPE), capacity(20.0))[0])[:4] == [
        1000.0,
        250.0,
        62.5,
        15.6,
    ]


def test_a_service_that_does_not_hold_one_a_second_is_below_the_floor() -> None:
    """The lowest load is measured twice before that is said."""
    history, done = search(FROM_TEN, capacity(0.5))
    assert rates(history) == [10.0, 2.5, 1.0, 1.0]
    assert done.stop_reason == "floor"


def test_the_highest_allowed_load_is_a_ceiling() -> None:
    """It is offered itself, and nothing above it."""
    history, done = search(Climb(10.0, 40.0, 0.05, SHAPE), capacity(1000.0))
    assert rates(history)[-1] == 40.0
    assert (done.stop_reason, done.why) == ("ceiling", "40/s, the highest allowed, held")


def test_a_generator_out_of_breath_is_a_ceiling() -> None:
    """All loads held until the generator could offer no more: that is said, with its reason."""
    history, done = search(FROM_TEN, scripted("pass", "pass", "invalid", "invalid"))
    assert rates(history) == [10.0, 15.0, 22.5, 22.5]
    assert done.stop_reason == "ceiling"
    assert done.why.startswith("15/s held, and the generator could not offer 22.5/s: ")


@pytest.mark.parametrize(
    "verdicts",
    [
        ("invalid", "invalid"),
        ("pass", "fail", "invalid", "invalid"),
        ("undecided", "undecided"),
        ("invalid", "undecided"),
    ],
)
def test_a_load_left_open_twice_ends_the_search_untrusted(
    verdicts: tuple[VerdictName, ...],
) -> None:
    """With nothing held, or with a broken load above, the generator is no ceiling."""
    assert search(FROM_TEN, scripted(*verdicts))[1].stop_reason == "untrusted"


@given(st.lists(st.sampled_from(VERDICTS), min_size=1, max_size=100))
def test_it_ends_whatever_the_verdicts(verdicts: list[VerdictName]) -> None:
    """Neither changes of mind nor invalid steps keep it going for ever."""
    endless: list[VerdictName] = [verdicts[k % len(verdicts)] for k in range(400)]
    history, done = search(FROM_TEN, scripted(*endless))
    assert len(history) <= STEPS_MAX + 1
    assert done.why


@given(st.lists(st.sampled_from(["pass", "fail"]), min_size=100, max_size=100))
def test_no_load_is_judged_more_than_three_times(verdicts: list[VerdictName]) -> None:
    """Two windows, and a third if they disagree."""
    history, _ = search(Climb(10.0, 1e4, 0.05, SHAPE), scripted(*verdicts))
    assert max(Counter(rates(history)).values()) <= 3


def test_rates_are_chosen_as_they_are_shown() -> None:
    """Three digits, unless the gap is finer than that."""
    assert legible(1234.5) == 1230.0
    assert midway(100.0, 150.0) == 122.0
    assert 100.0 < midway(100.0, 100.1) < 100.1
