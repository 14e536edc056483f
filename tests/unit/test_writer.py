"""Writing a run while it goes on."""

from pathlib import Path

import pytest
from fakes import FakeTally
from results import FOUND

from breakstep.model.errors import StoreError
from breakstep.model.signal import Sample, Signal
from breakstep.store.intervals_csv import Span
from breakstep.store.result_json import read_result
from breakstep.store.run_directory import FILES, RunDirectory
from breakstep.store.writer import RunWriter

CPU = Signal("generator", "generator", "cpu", "cores")
SPAN = Span(1_700_000_001.0, 1_700_000_002.0, 0, "hold", 1)


def lines(path: Path, name: str) -> list[str]:
    """The lines of a file of the run."""
    return (path / name).read_text().splitlines()


def test_a_finished_run_has_every_file(tmp_path: Path) -> None:
    """Result, intervals, signals, histograms and report lie side by side."""
    with RunWriter(RunDirectory.create(tmp_path), 1_700_000_000.0) as writer:
        writer.finish(FOUND, "<!doctype html>")
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted(FILES)
    assert read_result(tmp_path) == FOUND


def test_a_row_can_be_read_before_the_run_has_ended(tmp_path: Path) -> None:
    """What was measured is kept even if the process dies in the next second."""
    with RunWriter(RunDirectory.create(tmp_path), 1_700_000_000.0) as writer:
        writer.interval(SPAN, FakeTally(ok_ms=[10.0]))
        writer.signals([Sample(CPU, 1_700_000_002.0, 0.25)])
        assert lines(tmp_path, "intervals.csv")[1].startswith("1700000001.000,1700000002.000,0,")
        assert lines(tmp_path, "signals.csv") == [
            "time,source,name,unit,value,kind",
            "1700000002.000,generator,cpu,cores,0.25,generator",
        ]
        assert [line.split(",")[:4] for line in lines(tmp_path, "histograms.hlog")[-2:]] == [
            ["Tag=response", "1.000", "1.000", "10.000"],
            ["Tag=service", "1.000", "1.000", "10.000"],
        ]


def test_two_runs_never_share_a_directory(tmp_path: Path) -> None:
    """The second writer is refused even when both found the directory empty."""
    first, second = RunDirectory.create(tmp_path), RunDirectory.create(tmp_path)
    with RunWriter(first, 0.0), pytest.raises(StoreError, match="there already"):
        RunWriter(second, 0.0)


def test_closing_twice_is_harmless(tmp_path: Path) -> None:
    """An interrupted run may be closed on more than one way out."""
    writer = RunWriter(RunDirectory.create(tmp_path), 0.0)
    writer.close()
    writer.close()
