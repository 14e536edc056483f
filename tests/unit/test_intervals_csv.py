"""The row of one second, written and read."""

import csv
from pathlib import Path

import pytest
from fakes import FakeTally

from breakstep.model.errors import StoreError
from breakstep.store.intervals_csv import COLUMNS, Span, read_intervals, row

SPAN = Span(1_700_000_000.0, 1_700_000_001.0, 2, "hold", 4)


def test_a_row_has_every_column() -> None:
    """Counts, quantiles in ms and the share of a core, each under its name."""
    tally = FakeTally(
        ok_ms=[10.0, 20.0, 30.0],
        failed={"timeout": 1},
        lateness_ms=[0.1, 0.2],
        cpu_ns=250_000_000,
    )
    cells = dict(zip(COLUMNS, row(SPAN, tally), strict=True))
    assert cells["from"] == "1700000000.000"
    assert (cells["step"], cells["phase"], cells["arrivals"]) == (2, "hold", 4)
    assert (cells["ok"], cells["timeout"], cells["dropped"]) == (3, 1, 0)
    assert (cells["response_p50_ms"], cells["response_max_ms"]) == ("20.000", "30.000")
    assert (cells["lateness_p99_ms"], cells["in_flight_end"]) == ("0.200", 4)
    assert cells["generator_cpu_share"] == "0.250"


def test_a_second_without_arrivals_has_empty_quantiles() -> None:
    """Nothing recorded is an empty cell, not zero."""
    cells = dict(zip(COLUMNS, row(SPAN, FakeTally()), strict=True))
    assert cells["arrivals"] == 0
    assert cells["response_p50_ms"] is None


def _file(path: Path, rows: list[tuple[object, ...]]) -> Path:
    file = path / "intervals.csv"
    with file.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out, lineterminator="\n").writerows([COLUMNS, *rows])
    return file


def test_what_was_written_is_read(tmp_path: Path) -> None:
    """By time, with what a report needs; what was not known stays unknown."""
    tally = FakeTally(ok_ms=(10.0, 20.0, 30.0), failed={"timeout": 2, "reset": 1})
    later = row(Span(2.0, 3.0, 4, "hold", 7, run=1), tally)
    sooner = row(Span(1.0, 2.0, 4, "warmup", None, run=1), FakeTally())
    first, second = read_intervals(_file(tmp_path, [later, sooner]))
    assert (first.from_s, first.phase, first.in_flight_end) == (1.0, "warmup", None)
    assert first.response_p95_ms is None
    assert (second.run, second.step, second.in_flight_end) == (1, 4, 7)
    assert (second.arrivals, second.failed, second.completed) == (6, 3, 3)
    assert (second.response_p50_ms, second.response_max_ms) == (20.0, 30.0)


def test_a_torn_last_line_is_passed_over(tmp_path: Path) -> None:
    """The run was killed while it was written; a line torn in the middle is damage."""
    whole = row(Span(1.0, 2.0, 4, "hold", 7), FakeTally(ok_ms=(10.0,)))
    assert len(read_intervals(_file(tmp_path, [whole, ("2.0", "3.")]))) == 1
    with pytest.raises(StoreError, match="damaged in line 2"):
        read_intervals(_file(tmp_path, [("2.0", "3."), whole]))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """With its path."""
    with pytest.raises(StoreError, match=r"intervals\.csv"):
        read_intervals(tmp_path / "intervals.csv")
