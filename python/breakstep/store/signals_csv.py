"""`signals.csv`: one row for each sample of each signal, in the order in which they came."""

from breakstep.model.signal import Sample
from breakstep.store.intervals_csv import Cell

COLUMNS = ("time", "source", "name", "unit", "value", "kind")


def row(sample: Sample) -> tuple[Cell, ...]:
    """One sample, its time in seconds since 1970."""
    signal = sample.signal
    time, value = f"{sample.at_s:.3f}", f"{sample.value:.6g}"
    return time, signal.source, signal.name, signal.unit, value, signal.kind
