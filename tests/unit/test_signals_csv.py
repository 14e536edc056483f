"""`signals.csv`, written and read."""

import csv
from pathlib import Path

import numpy as np
import pytest

from breakstep.model.errors import StoreError
from breakstep.model.signal import Sample, Signal
from breakstep.store.signals_csv import COLUMNS, read_signals, row

CPU = Signal("host", "host", "cpu{core=0}", "share")
QUEUE = Signal("a, b", "command", 'queue "x"', "count")


def _written(path: Path, samples: list[Sample]) -> Path:
    file = path / "signals.csv"
    with file.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out, lineterminator="\n").writerows([COLUMNS, *map(row, samples)])
    return file


def test_what_was_written_is_read(tmp_path: Path) -> None:
    """Series by signal, by time, whatever commas and quotes are in their names."""
    samples = [Sample(CPU, 2.5, 0.25), Sample(QUEUE, 2.0, 3.0), Sample(CPU, 1.5, 1 / 3)]
    first, second = read_signals(_written(tmp_path, samples))
    assert (first.signal, second.signal) == (CPU, QUEUE)
    assert list(first.at_s) == [1.5, 2.5]
    assert list(first.values) == [0.333333, 0.25]


def test_no_samples_are_no_series(tmp_path: Path) -> None:
    """A file with nothing but its heading."""
    assert read_signals(_written(tmp_path, [])) == ()


def test_a_torn_last_line_is_passed_over(tmp_path: Path) -> None:
    """The run was killed while it was written."""
    file = _written(tmp_path, [Sample(CPU, 1.5, 0.25)])
    file.write_text(file.read_text(encoding="utf-8") + "1700000000.5,host,cp", encoding="utf-8")
    assert [len(series.values) for series in read_signals(file)] == [1]


def test_a_line_torn_in_the_middle_is_damage(tmp_path: Path) -> None:
    """With its number."""
    file = _written(tmp_path, [Sample(CPU, 1.5, 0.25), Sample(CPU, 2.5, 0.25)])
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    file.write_text("".join([*lines[:1], "1.0,host\n", *lines[1:]]), encoding="utf-8")
    with pytest.raises(StoreError, match=r"damaged in line 2"):
        read_signals(file)


def test_a_value_that_is_no_number_stays_one(tmp_path: Path) -> None:
    """A probe may have said so; it is for the reader to pass over it."""
    file = _written(tmp_path, [Sample(CPU, 1.5, float("nan"))])
    assert np.isnan(read_signals(file)[0].values[0])


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, content: bytes | None) -> None:
    """Missing, or no text."""
    file = tmp_path / "signals.csv"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(StoreError, match=r"signals\.csv"):
        read_signals(file)
