"""The offset of another clock is right within what it says of itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakstep.probe.agent_clock import Pinger
from breakstep.probe.agent_protocol import Pong
from breakstep.probe.clock_offset import KEPT, ClockOffset, Exchange

NOW_S = 1_800_000_000.0
_ROUNDING_S = 1e-6
_WAY = st.floats(0.0, 2.0)


def exchange(offset_s: float, there_s: float, back_s: float, at_s: float = NOW_S) -> Exchange:
    """A ping to a clock that is `offset_s` ahead, with these times on the way."""
    received_s = at_s + there_s + offset_s
    return Exchange(at_s, received_s, received_s + 0.001, at_s + there_s + 0.001 + back_s)


@given(st.floats(-1e6, 1e6), st.lists(st.tuples(_WAY, _WAY), min_size=1, max_size=40))
def test_the_offset_is_never_wrong_by_more_than_its_uncertainty(
    offset_s: float, ways: list[tuple[float, float]]
) -> None:
    """However lopsided the ways are, the truth lies within."""
    clock = ClockOffset()
    for number, (there_s, back_s) in enumerate(ways):
        clock.add(exchange(offset_s, there_s, back_s, NOW_S + number))
    assert abs(clock.best.offset_s - offset_s) <= clock.best.uncertainty_s + _ROUNDING_S


def test_the_quickest_exchange_is_believed() -> None:
    """One held up in a queue says little about a clock."""
    clock = ClockOffset()
    for there_s in (0.5, 0.0001, 0.8):
        clock.add(exchange(3.0, there_s, 0.0001))
    assert clock.best.offset_s == pytest.approx(3.0, abs=1e-4)


def test_a_clock_that_was_set_is_known_anew() -> None:
    """An exchange that cannot be true beside the others voids them."""
    clock = ClockOffset()
    for offset_s in (0.0, 0.0, 5.0):
        clock.add(exchange(offset_s, 0.001, 0.001))
    assert clock.best.offset_s == pytest.approx(5.0, abs=1e-3)


def test_old_exchanges_are_forgotten() -> None:
    """A clock drifts: the quickest of an hour ago says nothing now."""
    clock = ClockOffset()
    clock.add(exchange(0.0, 0.0, 0.0))
    for _ in range(KEPT):
        clock.add(exchange(0.01, 0.1, 0.1))
    assert clock.best.uncertainty_s == pytest.approx(0.1, abs=1e-3)


def test_an_answer_from_before_the_question_counts_for_nothing() -> None:
    """A stamp pair longer than the whole exchange is a lie, or a clock set in between."""
    clock = ClockOffset()
    clock.add(Exchange(NOW_S, NOW_S, NOW_S + 5.0, NOW_S + 0.1))
    assert not clock.kept


def test_an_answer_to_no_ping_counts_for_nothing() -> None:
    """Neither a number that was not asked nor a second answer to one that was."""
    pinger = Pinger()
    number = pinger.ping()["ping"]
    pinger.pong(Pong(number + 1, NOW_S, NOW_S))
    assert not pinger.clock.kept
    for _ in range(2):
        pinger.pong(Pong(number, NOW_S, NOW_S))
    assert len(pinger.clock.kept) == 1
