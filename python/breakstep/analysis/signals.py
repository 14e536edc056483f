"""Signals as arrays, and what they were in a window."""

from array import array
from collections.abc import Iterable, MutableSequence, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from breakstep.model.signal import Sample, Signal

SAMPLES_MAX = 5_000_000


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


@dataclass(slots=True)
class SeriesBuilder:
    """Collects samples, 16 bytes each, up to `room`; `left_out` counts those beyond it."""

    room: int = SAMPLES_MAX
    left_out: int = 0
    _columns: dict[Signal, tuple[MutableSequence[float], MutableSequence[float]]] = field(
        default_factory=dict
    )

    def add(self, samples: Sequence[Sample]) -> None:
        """Keeps them, in any order."""
        for sample in samples[: self.room]:
            at_s, values = self._columns.setdefault(sample.signal, (array("d"), array("d")))
            at_s.append(sample.at_s)
            values.append(sample.value)
        self.left_out += max(0, len(samples) - self.room)
        self.room -= min(self.room, len(samples))

    def build(self) -> tuple[Series, ...]:
        """One series for each signal, in the order of their first samples."""
        return tuple(_series(signal, *columns) for signal, columns in self._columns.items())


def series_of(samples: Iterable[Sample]) -> tuple[Series, ...]:
    """The series that these samples are."""
    builder = SeriesBuilder()
    builder.add(list(samples))
    return builder.build()


def summaries(all_series: Sequence[Series], from_s: float, to_s: float) -> tuple[Summary, ...]:
    """What each signal was in a window; those with no sample in it are left out."""
    inside = (series.within(from_s, to_s) for series in all_series)
    return tuple(_summary(series) for series in inside if len(series.values))


def _series(signal: Signal, at_s: Sequence[float], values: Sequence[float]) -> Series:
    times, numbers = np.array(at_s, dtype=np.float64), np.array(values, dtype=np.float64)
    order = np.argsort(times, kind="stable")
    return Series(signal, times[order], numbers[order])


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
