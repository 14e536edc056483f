"""Histograms of durations, and what coordinated omission makes of them, in virtual time."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from math import ceil
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakstep._engine import Histogram, Segment, intended_starts
from breakstep.analysis.durations import summarise

US: Final = 1_000
MS: Final = 1_000_000
S: Final = 1_000_000_000
LOWEST_NS: Final = US
HIGHEST_NS: Final = 3_600 * S
PRECISION: Final = 0.001
QUANTILES: Final = (0.0, 0.01, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 1.0)

durations = st.lists(st.integers(LOWEST_NS, HIGHEST_NS), min_size=1, max_size=200)


def histogram_of(values_ns: Iterable[int]) -> Histogram:
    """All of them recorded once."""
    histogram = Histogram()
    for value_ns in values_ns:
        histogram.record(value_ns)
    return histogram


def exact(values_ns: Sequence[int], quantile: float) -> int:
    """The smallest value with at least this share at or below it."""
    rank = max(1, ceil(quantile * len(values_ns) - 1e-9))
    return sorted(values_ns)[rank - 1]


@given(durations, st.sampled_from(QUANTILES))
def test_a_quantile_is_within_a_thousandth_of_the_exact_one(
    values_ns: list[int], quantile: float
) -> None:
    """Three significant digits from a microsecond to an hour, and no finer than a microsecond."""
    found = histogram_of(values_ns).quantile_ns(quantile)
    assert found == pytest.approx(exact(values_ns, quantile), rel=PRECISION, abs=US)


@given(durations)
def test_count_mean_and_extremes_are_those_of_the_values(values_ns: list[int]) -> None:
    """Counts exactly, durations within a thousandth."""
    histogram = histogram_of(values_ns)
    assert histogram.count == len(values_ns)
    assert histogram.mean_ns == pytest.approx(
        sum(values_ns) / len(values_ns), rel=PRECISION, abs=US
    )
    assert histogram.min_ns == pytest.approx(min(values_ns), rel=PRECISION, abs=US)
    assert histogram.max_ns == pytest.approx(max(values_ns), rel=PRECISION, abs=US)


@given(durations, st.integers(LOWEST_NS, HIGHEST_NS))
def test_the_count_at_or_below_a_bound_is_right_within_its_precision(
    values_ns: list[int], bound_ns: int
) -> None:
    """Values clearly below count, values clearly above do not."""
    values_ns = sorted(values_ns)
    found = histogram_of(values_ns).count_at_or_below(bound_ns)
    below = bisect_right(values_ns, bound_ns * (1 - PRECISION) - US)
    assert below <= found <= bisect_right(values_ns, bound_ns * (1 + PRECISION) + US)


@given(durations, durations)
def test_merging_is_recording_all(some: list[int], others: list[int]) -> None:
    """merge(histograms) = histogram(all), to the last count."""
    merged = histogram_of(some)
    merged.add(histogram_of(others))
    assert merged.encode() == histogram_of([*some, *others]).encode()


@given(durations)
def test_what_is_encoded_can_be_decoded(values_ns: list[int]) -> None:
    """Nothing is lost on the way into a histogram log and back."""
    histogram = histogram_of(values_ns)
    decoded = Histogram.decode(histogram.encode())
    assert decoded.encode() == histogram.encode()
    assert (decoded.count, decoded.max_ns) == (histogram.count, histogram.max_ns)


@given(st.integers(LOWEST_NS, HIGHEST_NS), st.integers(1, 10**12))
def test_a_count_is_as_good_as_recording_one_by_one(value_ns: int, count: int) -> None:
    """Counts do not overflow in any run that a machine could make."""
    histogram = Histogram()
    histogram.record(value_ns, count)
    assert histogram.count == count
    assert histogram.quantile_ns(0.5) == pytest.approx(value_ns, rel=PRECISION, abs=US)


@pytest.mark.parametrize(("value_ns", "kept_ns"), [(0, 0), (1, 0), (2 * HIGHEST_NS, HIGHEST_NS)])
def test_a_duration_out_of_range_is_kept_at_its_edge(value_ns: int, kept_ns: int) -> None:
    """A lost arrival would flatter the quantiles; an edge does not."""
    histogram = histogram_of([value_ns])
    assert histogram.count == 1
    assert histogram.max_ns == pytest.approx(kept_ns, rel=PRECISION, abs=US)


def test_an_empty_histogram_has_no_quantile() -> None:
    """Zeros, and the same after decoding."""
    for empty in (Histogram(), Histogram.decode(Histogram().encode())):
        assert (empty.count, empty.quantile_ns(0.5), empty.count_at_or_below(S)) == (0, 0, 0)


@given(st.binary(max_size=200))
def test_garbage_is_no_histogram(data: bytes) -> None:
    """Any bytes are refused without a crash."""
    with pytest.raises(ValueError, match=r"."):
        Histogram.decode(data)


@given(durations, st.data())
def test_a_damaged_histogram_is_refused_or_read_never_worse(
    values_ns: list[int], data: st.DataObject
) -> None:
    """A byte that fell over, and an end that is missing."""
    encoded = bytearray(histogram_of(values_ns).encode())
    encoded[data.draw(st.integers(0, len(encoded) - 1))] ^= data.draw(st.integers(1, 255))
    for damaged in (bytes(encoded), bytes(encoded[: data.draw(st.integers(0, len(encoded) - 1))])):
        try:
            Histogram.decode(damaged)
        except ValueError:
            continue


FREEZE_NS: Final = 100 * S
END_NS: Final = 200 * S
SERVICE_NS: Final = MS


def answered_at(sent_ns: int) -> int:
    """When the server answers: 1 ms later, or at 200 s when its freeze is over."""
    return sent_ns + SERVICE_NS if sent_ns < FREEZE_NS else END_NS


def open_model() -> Histogram:
    """Response times of 100 arrivals a second, each timed from when it was meant to start."""
    schedule = Segment(
        start_ns=0, duration_ns=END_NS, from_per_s=100.0, to_per_s=100.0, arrivals="uniform"
    )
    return histogram_of(answered_at(due_ns) - due_ns for due_ns in intended_starts([schedule]))


def closed_model() -> Histogram:
    """Response times of one connection that sends when it may, at most every 10 ms."""
    histogram, now_ns = Histogram(), 0
    while now_ns < END_NS:
        done_ns = answered_at(now_ns)
        histogram.record(done_ns - now_ns)
        now_ns = max(done_ns, now_ns + 10 * MS)
    return histogram


def test_timed_from_the_intended_start_a_freeze_is_seen_by_all_who_met_it() -> None:
    """200 s at 100/s, frozen for the second half: half of the users waited, 25 s on the mean."""
    found = summarise(open_model())
    assert found.count == 20_000
    assert found.mean == pytest.approx(25_003, rel=PRECISION)
    assert found.p50 == pytest.approx(1, rel=PRECISION)
    assert found.p75 == pytest.approx(50_000, rel=PRECISION)
    assert found.p90 == pytest.approx(80_000, rel=PRECISION)
    assert found.p99 == pytest.approx(98_000, rel=PRECISION)
    assert found.p99_9 == pytest.approx(99_800, rel=PRECISION)
    assert found.p99_99 == pytest.approx(99_980, rel=PRECISION)
    assert found.max == pytest.approx(100_000, rel=PRECISION)


def test_a_closed_loop_sees_the_same_freeze_once() -> None:
    """One connection sends nothing while it waits: ten thousand users are missing."""
    found = summarise(closed_model())
    assert found.count == 10_001
    assert found.mean == pytest.approx(11.0, rel=PRECISION)
    assert found.p99_99 == pytest.approx(1, rel=PRECISION)
    assert found.max == pytest.approx(100_000, rel=PRECISION)


def test_the_closed_numbers_alone_would_hide_the_freeze() -> None:
    """Judged on them, half of the users waiting is an excellent p99.99."""
    bound_ns = 10 * MS
    late = {
        model.__name__: model().count - model().count_at_or_below(bound_ns)
        for model in (open_model, closed_model)
    }
    # The last of the ten thousand to meet the freeze waits exactly 10 ms.
    assert late == {"open_model": 9_999, "closed_model": 1}
    assert closed_model().quantile_ns(0.9999) < bound_ns < open_model().quantile_ns(0.51)
