"""`signals.csv`: one row for each sample of each signal, in the order in which they came."""

import csv
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from breakstep.analysis.signals import Series, series_of
from breakstep.model.errors import StoreError
from breakstep.model.signal import Sample, Signal
from breakstep.store.intervals_csv import Cell

COLUMNS = ("time", "source", "name", "unit", "value", "kind")


def row(sample: Sample) -> tuple[Cell, ...]:
    """One sample, its time in seconds since 1970."""
    signal = sample.signal
    time, value = f"{sample.at_s:.3f}", f"{sample.value:.6g}"
    return time, signal.source, signal.name, signal.unit, value, signal.kind


def read_signals(path: Path) -> tuple[Series, ...]:
    """The series of a run. Raises StoreError.

    A last line that was being written when the run was killed is passed over.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return series_of(samples_of(csv.DictReader(file), str(path)))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise StoreError(f"cannot read {path}: {error}") from error


def samples_of(lines: Iterable[Mapping[str, str | None]], path: str) -> Iterator[Sample]:
    """The samples of a file's lines, by name of column. Raises StoreError."""
    broken: int | None = None
    signals: dict[tuple[str, ...], Signal] = {}
    for number, line in enumerate(lines, start=2):
        if broken is not None:
            raise StoreError(f"{path} is damaged in line {broken}: it lacks columns or numbers")
        try:
            cells = [line[name] or "" for name in COLUMNS]
            time, source, name, unit, value, kind = cells
            key = (source, kind, name, unit)
            signal = signals.setdefault(key, Signal(*key))
            yield Sample(signal, float(time), float(value))
        except (KeyError, TypeError, ValueError):
            broken = number
