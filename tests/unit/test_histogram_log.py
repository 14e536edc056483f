"""The histogram log."""

from fakes import FakeHistogram
from golden import assert_golden

from breakstep.store.histogram_log import header, line


def test_the_log_is_the_text_that_hdrhistogram_reads() -> None:
    """Version, times and legend as its own writer gives them, then tagged lines."""
    histogram = FakeHistogram([2_000_000, 3_500_000])
    lines = line("response", 0.0, 1.0, histogram) + line("service", 1.0, 0.5, histogram)
    assert_golden("histograms.hlog", header(1_700_000_000.25) + lines)


def test_an_empty_histogram_has_no_line() -> None:
    """A second without requests leaves nothing to read."""
    assert line("response", 0.0, 1.0, FakeHistogram()) == ""
