"""The heat map of response times."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from breakstep.report.heat_map import SHADES, HeatMap, heat_map
from breakstep.report.timeline import Timeline
from breakstep.store.response_columns import BUCKETS, ResponseColumn

TIMELINE = Timeline(100.0, 110.0, ())
CELL = re.compile(r"M(\d+) ([\d.]+)h(\d+)")


def _column(second: int, counts: dict[int, int]) -> ResponseColumn:
    found = np.zeros(BUCKETS, dtype=np.int64)
    for bucket, count in counts.items():
        found[bucket] = count
    return ResponseColumn(100.0 + second, 101.0 + second, found)


def _drawn(*columns: ResponseColumn, bounds: dict[str, float] | None = None) -> HeatMap:
    drawn = heat_map(columns, TIMELINE, bounds or {})
    assert drawn is not None
    return drawn


def test_nothing_answered_is_no_map() -> None:
    """Nor is a run without histograms."""
    assert heat_map((), TIMELINE, {}) is None
    assert heat_map((_column(0, {}),), TIMELINE, {}) is None


def test_a_shade_is_a_share_of_its_own_second() -> None:
    """Ten times the load with the same response times looks the same."""
    drawn = _drawn(_column(0, {40: 90, 41: 10}), _column(1, {40: 900, 41: 100}))
    assert drawn.paths[4] == "M0 1.5h200"
    assert drawn.paths[2] == "M0 0.5h200"


def test_a_second_without_load_is_empty() -> None:
    """Strokes are not joined over it."""
    drawn = _drawn(_column(0, {40: 5}), _column(5, {40: 5}))
    assert drawn.paths[4] == "M0 0.5h100M500 0.5h100"


def test_rows_are_those_that_were_used() -> None:
    """Slow is at the top, and the axis ends where the response times do."""
    drawn = _drawn(_column(0, {40: 1}), _column(1, {50: 1}))
    assert drawn.rows == 11
    assert drawn.paths[4] == "M0 10.5h100M100 0.5h100"
    assert drawn.says.startswith("Response times from 7.94 ms to 100 ms")


def test_a_bound_beyond_the_axis_is_not_drawn() -> None:
    """It would lie at the edge, as if it were there."""
    bounds = {"p95<50ms": 50.0, "p99<5s": 5000.0}
    drawn = _drawn(_column(0, {40: 1, 50: 1}), bounds=bounds)
    assert [tick.label for tick in drawn.bounds] == ["p95<50ms"]


@given(st.lists(st.lists(st.integers(0, 50), min_size=5, max_size=5), min_size=1, max_size=10))
def test_every_used_bucket_is_in_one_cell(counts: list[list[int]]) -> None:
    """No more and no fewer, of whatever shade."""
    columns = [_column(second, dict(enumerate(row, start=30))) for second, row in enumerate(counts)]
    drawn = heat_map(columns, TIMELINE, {})
    used = sum(1 for row in counts for count in row if count)
    cells = [] if drawn is None else CELL.findall("".join(drawn.paths))
    assert sum(int(length) for _, _, length in cells) == 100 * used
    assert drawn is None or len(drawn.paths) == len(SHADES)
