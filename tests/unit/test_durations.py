"""Histograms as durations."""

from fakes import FakeHistogram

from breakstep.analysis.durations import NOTHING, summarise
from breakstep.model.units import NS_PER_MS


def test_an_empty_histogram_has_no_durations() -> None:
    """Nothing recorded is None everywhere, not zero."""
    assert summarise(FakeHistogram()) == NOTHING


def test_durations_are_milliseconds() -> None:
    """Of 1…1000 ms each quantile is its own rank."""
    durations = summarise(FakeHistogram(ms * NS_PER_MS for ms in range(1, 1001)))
    assert (durations.count, durations.mean) == (1000, 500.5)
    assert (durations.p50, durations.p95, durations.p99) == (500.0, 950.0, 990.0)
    assert (durations.p99_9, durations.max) == (999.0, 1000.0)
