"""The seconds around the break."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from fakes import record
from golden import assert_golden
from results import result

from breakstep.analysis.signals import Series
from breakstep.model.signal import Signal
from breakstep.report.around_break import around_break, first_failing, went_wrong
from breakstep.search.controller import Done
from breakstep.store.intervals_csv import IntervalRow

LOADS = (300.0, 350.0, 400.0)
OUTCOME = result(
    [record(0, 300.0), record(1, 350.0), record(2, 400.0, "fail", p95_ms=312.0, queue="growing")],
    Done("broken", ""),
)
START = OUTCOME.steps[0].window_from
LOOP = Signal("node:127.0.0.1:9464", "node", "loop_utilisation", "share")
POOL = Signal("node:127.0.0.1:9464", "node", "pool_waiting{pool=pg}", "count")
CORE = Signal("host", "host", "cpu{core=0}", "share")


def _row(second: int, step: int, *, p95_ms: float, flight: int, failed: int = 0) -> IntervalRow:
    load = round(LOADS[step])
    at_s = OUTCOME.steps[step].window_from + second
    return IntervalRow(
        from_s=at_s,
        to_s=at_s + 1.0,
        run=0,
        step=step,
        phase="warmup" if second < 0 else "hold",
        arrivals=load,
        failed=failed,
        completed=min(load, 380),
        response_p50_ms=p95_ms / 2,
        response_p95_ms=p95_ms,
        response_p99_ms=1.2 * p95_ms,
        response_max_ms=2 * p95_ms,
        in_flight_end=flight,
    )


def _rows() -> list[IntervalRow]:
    calm = [_row(k, step, p95_ms=36.0, flight=10) for step in (0, 1) for k in range(-1, 10)]
    bad = [
        _row(k, 2, p95_ms=40.0 + 60.0 * max(0, k), flight=12 + 3 * max(0, k)) for k in range(-1, 8)
    ]
    return [*calm, *bad]


def _series(signal: Signal, value: float, growth: float) -> Series:
    at_s = np.arange(START, START + 45.0, 0.5)
    return Series(signal, at_s, np.minimum(value + growth * np.arange(len(at_s)), 99.0))


SERIES = [_series(LOOP, 0.5, 0.005), _series(POOL, 0.0, 0.5), _series(CORE, 0.2, 0.0)]


def test_the_table_shows_the_instant_it_went_wrong() -> None:
    """Ten seconds either side, a column for each resource, an arrow at the instant."""
    assert_golden("around-break.txt", around_break(OUTCOME, _rows(), SERIES) + "\n")


def test_the_second_is_that_in_which_the_quantile_crossed() -> None:
    """p95 was 220 ms in second 3, over the 200 ms that it may be."""
    broken = first_failing(OUTCOME)
    assert broken is not None
    wrong = went_wrong(OUTCOME, broken, _rows())
    assert wrong is not None
    assert wrong.from_s == OUTCOME.steps[2].window_from + 3


def test_a_queue_that_began_earlier_counts() -> None:
    """Three times what is usual in flight, before any answer was late."""
    rows = [
        replace(r, in_flight_end=40) if r.step == 2 and r.phase == "hold" else r for r in _rows()
    ]
    wrong = went_wrong(OUTCOME, (0, OUTCOME.steps[2]), rows)
    assert wrong is not None
    assert wrong.from_s == OUTCOME.steps[2].window_from


def test_errors_that_crossed_count() -> None:
    """5 % failed in the second second, 1 % may."""
    rows = [
        replace(row, failed=20)
        if row.step == 2 and row.from_s == OUTCOME.steps[2].window_from + 1
        else row
        for row in _rows()
    ]
    wrong = went_wrong(OUTCOME, (0, OUTCOME.steps[2]), rows)
    assert wrong is not None
    assert wrong.from_s == OUTCOME.steps[2].window_from + 1


def test_without_a_crossing_the_hold_is_where_it_began() -> None:
    """A quantile of a whole step may cross without one second doing so."""
    rows = [replace(row, response_p95_ms=36.0, in_flight_end=10) for row in _rows()]
    wrong = went_wrong(OUTCOME, (0, OUTCOME.steps[2]), rows)
    assert wrong is not None
    assert wrong.from_s == OUTCOME.steps[2].window_from


@pytest.mark.parametrize(
    ("outcome", "rows"),
    [
        (OUTCOME, []),
        (result([record(0, 300.0)], Done("ceiling", "")), _rows()),
        (replace(OUTCOME, runs=()), _rows()),
        (OUTCOME, [row for row in _rows() if row.step != 2]),
    ],
    ids=["no-rows", "not-broken", "no-runs", "other-steps"],
)
def test_without_a_break_there_is_no_table(outcome: object, rows: list[IntervalRow]) -> None:
    """Nothing broke, or its seconds were not kept."""
    assert around_break(outcome, rows, SERIES) == ""  # type: ignore[arg-type]


def test_hostile_names_and_values_stay_in_their_columns() -> None:
    """A name that would steer a terminal, a series of nothing but infinities."""
    evil = _series(replace(LOOP, source="\x1b[2J" + "x" * 500), 0.5, 0.0)
    mad = Series(POOL, evil.at_s, np.full_like(evil.values, np.inf))
    text = around_break(OUTCOME, _rows(), [evil, mad])
    assert all(letter.isprintable() or letter == "\n" for letter in text)
    assert max(map(len, text.splitlines())) < 160


def test_what_tells_nothing_is_left_out() -> None:
    """The rest of a second at the edge of a step, and idle seconds between two steps."""
    rows = _rows()
    rest = replace(rows[11], to_s=rows[11].from_s + 0.1)
    idle = replace(rows[10], phase="drain", arrivals=0, completed=0, in_flight_end=0)
    assert around_break(OUTCOME, [*rows, rest, idle], SERIES) == around_break(OUTCOME, rows, SERIES)


def test_many_resources_leave_room() -> None:
    """No more than six columns of them."""
    many = [_series(replace(LOOP, source=f"node:{k}"), 0.5, 0.0) for k in range(40)]
    heading = around_break(OUTCOME, _rows(), many).splitlines()[0]
    assert heading.count("node:") == 6
