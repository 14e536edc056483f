"""Signals as arrays, and what they were in a window."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from breakstep.model.signal import Sample, Signal


@dataclass(frozen=True, slots=True)
class Series:
    """One signal over a run. `at_s` does not decrease; both arrays have the same length."""

    signal: Signal
    at_s: NDArray[np.float64]
    values: NDArray[np.float64]

    def within(self, from_s: float, to_s: float) -> "Series":
        """The samples of a window; those on its edges too."""
        low, high = np.searchsorted(self.at_s, from_s), np.searchsorted(self.at_s, to_s, "right")
        return Series(self.signal, self.at_s[low:high], self.values[low:high])


@dataclass(frozen=True, slots=True)
class Summary:
    """A signal in a window that holds at least one sample of it."""

    signal: Signal
    count: int
    mean: float
    median: float
    min: float
    max: float
    first: float
    last: float


def series_of(samples: Iterable[Sample]) -> tuple[Series, ...]:
    """One series for each signal, in the order of their first samples."""
    columns: dict[Signal, list[tuple[float, float]]] = {}
    for sample in samples:
        columns.setdefault(sample.signal, []).append((sample.at_s, sample.value))
    return tuple(_series(signal, rows) for signal, rows in columns.items())


def summaries(all_series: Sequence[Series], from_s: float, to_s: float) -> tuple[Summary, ...]:
    """What each signal was in a window; those with no sample in it are left out."""
    inside = (series.within(from_s, to_s) for series in all_series)
    return tuple(_summary(series) for series in inside if len(series.values))


def _series(signal: Signal, rows: list[tuple[float, float]]) -> Series:
    table = np.array(sorted(rows, key=lambda row: row[0]), dtype=np.float64)
    return Series(signal, table[:, 0], table[:, 1])


def _summary(series: Series) -> Summary:
    values = series.values
    return Summary(
        signal=series.signal,
        count=len(values),
        mean=float(values.mean()),
        median=float(np.median(values)),
        min=float(values.min()),
        max=float(values.max()),
        first=float(values[0]),
        last=float(values[-1]),
    )
