"""What a run directory holds beside the result: its seconds, its signals, its response times."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from breakstep.analysis.signals import Series
from breakstep.store.intervals_csv import IntervalRow, read_intervals
from breakstep.store.response_columns import ResponseColumn, read_response_columns
from breakstep.store.run_directory import HISTOGRAMS, INTERVALS, SIGNALS
from breakstep.store.signals_csv import read_signals


@dataclass(frozen=True, slots=True)
class Recorded:
    """The record of a run by time; empty where it was not kept."""

    rows: Sequence[IntervalRow] = ()
    series: Sequence[Series] = ()
    columns: Sequence[ResponseColumn] = ()


def read_recorded(run: Path) -> Recorded:
    """What a run directory has; nothing if `run` is no directory. Raises StoreError."""
    intervals, signals, histograms = (run / name for name in (INTERVALS, SIGNALS, HISTOGRAMS))
    return Recorded(
        rows=read_intervals(intervals) if intervals.exists() else (),
        series=read_signals(signals) if signals.exists() else (),
        columns=read_response_columns(histograms) if histograms.exists() else (),
    )
