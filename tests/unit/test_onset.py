"""The load at which a signal left its baseline."""

import pytest

from breakstep.analysis.onset import onset

LOADS = (40.0, 80.0, 120.0, 160.0, 180.0, 200.0)


def _onset(*values: float, floor: float = 2.0) -> float | None:
    return onset(list(zip(LOADS, values, strict=False)), 200.0, floor)


def test_it_begins_at_the_first_of_two_risen_loads() -> None:
    """160/s, because 180/s is risen too."""
    assert _onset(1, 1, 1, 9, 20, 90) == 160.0


def test_one_risen_load_between_calm_ones_is_chance() -> None:
    """80/s rose alone; the queue came at 180/s."""
    assert _onset(1, 30, 1, 1, 20, 90) == 180.0


def test_the_last_load_needs_no_second() -> None:
    """A search has often only one load beyond the break."""
    assert _onset(1, 1, 1, 1, 1, 90) == 200.0


def test_a_trifle_is_below_the_floor() -> None:
    """A signal that never moved has no scatter, so that any change would be beyond five of it."""
    assert _onset(0, 0, 0, 0, 1, 1.5) is None


def test_scatter_raises_the_bar() -> None:
    """With a scatter of 4 about 10 it takes more than 30."""
    assert _onset(6, 10, 14, 24, 28, 29) is None
    assert _onset(6, 10, 14, 24, 35, 36) == 180.0


@pytest.mark.parametrize("values", [(), (5.0,)])
def test_a_rise_needs_something_to_rise_from(values: tuple[float, ...]) -> None:
    """Of one load nothing can be said."""
    assert _onset(*values) is None
