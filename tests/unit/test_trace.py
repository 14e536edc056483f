"""Series over time as lines."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from breakstep.report.timeline import Timeline
from breakstep.report.trace import BINS, trace

HOUR = Timeline(1000.0, 4600.0, ())
PLACE = re.compile(r"[ML](-?\d+) (-?\d+)")


def _places(path: str) -> list[tuple[int, int]]:
    return [(int(x), int(y)) for x, y in PLACE.findall(path)]


def test_a_line_goes_from_the_bottom_to_the_top() -> None:
    """Zero is at the bottom, the highest value at the top, the end of the run at the right."""
    at_s = np.array([1000.0, 2800.0, 4600.0])
    assert trace(at_s, np.array([0.0, 5.0, 10.0]), HOUR, 10.0) == "M0 100L500 50L1000 0"


def test_a_level_stretch_is_two_points() -> None:
    """However many samples it has."""
    at_s = np.linspace(1000.0, 4600.0, 400)
    assert trace(at_s, np.full(400, 3.0), HOUR, 6.0) == "M0 50L1000 50"


def test_what_lies_far_apart_is_not_joined() -> None:
    """A probe that was silent for a while leaves a gap, and a lone sample a dot."""
    at_s = np.array([1000.0, 1001.0, 1002.0, 1003.0, 4600.0])
    path = trace(at_s, np.ones(5), HOUR, 1.0)
    assert path.count("M") == 2
    assert path.endswith("M1000 0L1000 0")


def test_two_seconds_with_a_wait_between_are_not_joined() -> None:
    """Where it is said how far apart neighbours are."""
    path = trace(np.array([1000.0, 1002.0]), np.ones(2), HOUR, 1.0, apart_s=1.3)
    assert path.count("M") == 2


def test_no_peak_is_lost_and_no_line_is_long() -> None:
    """Of 50 000 samples the only high one is still there, in a path of some kilobytes."""
    values = np.random.default_rng(1).random(50_000)
    values[31_234] = 10.0
    path = trace(np.linspace(1000.0, 4600.0, 50_000), values, HOUR, 10.0)
    assert min(y for _, y in _places(path)) == 0
    assert len(_places(path)) <= 2 * BINS
    assert len(path) < 8_000


def test_what_is_no_number_is_left_out() -> None:
    """A probe may send anything."""
    assert trace(np.array([1000.0]), np.array([np.nan]), HOUR, 1.0) == ""
    assert trace(np.array([1000.0, 2000.0]), np.array([np.inf, 1.0]), HOUR, 1.0) == "M278 0L278 0"


@given(st.lists(st.floats(), min_size=1, max_size=600))
def test_every_place_lies_on_the_drawing(values: list[float]) -> None:
    """Whatever the values are."""
    at_s = np.linspace(1000.0, 4600.0, len(values))
    places = _places(trace(at_s, np.array(values), HOUR, 7.0))
    assert all(0 <= x <= 1000 and 0 <= y <= 100 for x, y in places)
