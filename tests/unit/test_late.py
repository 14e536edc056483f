"""How many arrivals left late."""

from fakes import FakeHistogram
from hypothesis import given
from hypothesis import strategies as st

from breakstep.analysis.durations import NOTHING, summarise
from breakstep.report.late import LATE_MS, late_count


def _count(values_ms: list[float]) -> str:
    return late_count(summarise(FakeHistogram(round(1e6 * ms) for ms in values_ms)))


def test_nothing_sent_is_no_count() -> None:
    """A dash, not a zero."""
    assert late_count(NOTHING) == "–"


def test_none_late_is_a_zero() -> None:
    """A millisecond itself is not late."""
    assert _count([0.1, 1.0]) == "0"


def test_few_arrivals_are_counted_exactly() -> None:
    """Where two quantiles are neighbours there is nothing between them."""
    assert _count([0.1] * 99 + [5.0]) == "1"
    assert _count([5.0, 6.0]) == "2"


def test_between_two_quantiles_it_is_a_range() -> None:
    """Of 1 000 with 30 late, p95 is within and p98 beyond: 21 to 50."""
    assert _count([0.1] * 970 + [5.0] * 30) == "21–50"


@given(st.lists(st.sampled_from([0.1, 0.9, 1.1, 40.0]), min_size=1, max_size=400))
def test_the_true_count_is_in_the_range(values_ms: list[float]) -> None:
    """Whatever the arrivals were."""
    late = sum(ms > LATE_MS for ms in values_ms)
    low, _, high = _count(values_ms).partition("–")
    assert int(low) <= late <= int(high or low)
