"""Response times by second, from the histogram log."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from breakstep._engine import Histogram
from breakstep.model.errors import StoreError
from breakstep.store.histogram_log import header, line
from breakstep.store.response_columns import COLUMNS_MAX, edge_ns, read_response_columns

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MS = 1_000_000


def _histogram(*values_ms: float) -> Histogram:
    found = Histogram()
    for value_ms in values_ms:
        found.record(round(value_ms * MS))
    return found


def _log(path: Path, lines: Sequence[str]) -> Path:
    file = path / "histograms.hlog"
    file.write_text(header(5000.0) + "".join(lines), encoding="utf-8")
    return file


def test_each_second_is_a_column(tmp_path: Path) -> None:
    """By time, whatever the order in which the seconds were finished."""
    lines = [line("response", k, 1.0, _histogram(5.0, 50.0)) for k in (1.0, 0.0, 2.0)]
    columns = read_response_columns(_log(tmp_path, lines))
    assert [(column.from_s, column.to_s) for column in columns] == [
        (5000.0, 5001.0),
        (5001.0, 5002.0),
        (5002.0, 5003.0),
    ]
    assert [int(column.counts.sum()) for column in columns] == [2, 2, 2]


def test_a_request_is_in_the_bucket_below_whose_edge_it_lies(tmp_path: Path) -> None:
    """Edges are a tenth of a decade apart, from a microsecond."""
    lines = [line("response", 0.0, 1.0, _histogram(5.0))]
    (column,) = read_response_columns(_log(tmp_path, lines))
    (bucket,) = column.counts.nonzero()[0].tolist()
    assert edge_ns(bucket - 1) < 5 * MS <= edge_ns(bucket)


def test_service_times_are_left_out(tmp_path: Path) -> None:
    """They are blind to waiting."""
    lines = [line("service", 0.0, 1.0, _histogram(5.0))]
    assert read_response_columns(_log(tmp_path, lines)) == ()


def test_a_long_run_has_no_more_columns_than_a_page_shows(tmp_path: Path) -> None:
    """Seconds are added up, and none is lost."""
    text = line("response", 0.0, 1.0, _histogram(5.0)).split(",", 2)[2]
    lines = [f"Tag=response,{k:.3f},{text}" for k in range(3600)]
    columns = read_response_columns(_log(tmp_path, lines))
    assert len(columns) <= COLUMNS_MAX + 1
    assert sum(int(column.counts.sum()) for column in columns) == 3600


def test_a_line_that_was_being_written_is_left_out(tmp_path: Path) -> None:
    """The run was killed; what was whole is kept."""
    whole = line("response", 0.0, 1.0, _histogram(5.0))
    assert len(read_response_columns(_log(tmp_path, [whole, whole[:40]]))) == 1


@pytest.mark.parametrize(
    "damaged", ["Tag=response,x,1,1,A\n", "Tag=response,0,1,1,!!\n", "Tag=response,0\n"]
)
def test_a_damaged_file_is_named(tmp_path: Path, damaged: str) -> None:
    """With what is wrong in it."""
    file = _log(tmp_path, [damaged])
    with pytest.raises(StoreError, match=r"histograms.hlog is damaged"):
        read_response_columns(file)
