"""Noise that keeps a period."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakstep.analysis.periodicity import (
    PERIODS_S,
    by_second,
    decluster,
    find_period,
    observable,
    periodicity_check,
    watched_by_second,
)
from breakstep.model.units import NS_PER_MS, NS_PER_S

SEED = 20261130
MINUTE = 28_333_334 * 60 * NS_PER_S
"""The start of some minute, ns since 1970."""


def events(seconds: list[float] | np.ndarray) -> np.ndarray:
    """Instants so many seconds after the start of a minute."""
    return MINUTE + (np.asarray(seconds) * NS_PER_S).astype(np.int64)


def test_the_longest_period_is_the_answer() -> None:
    """What recurs each minute also recurs each half of one; that is not what people ask."""
    jitter = np.random.default_rng(SEED).uniform(0.0, 0.3, 40)
    found = find_period(events(60.0 * np.arange(40) + jitter), 2400 * NS_PER_S)
    assert found is not None
    assert (found.period_s, found.says()) == (60, "at second :00 of each minute")


@pytest.mark.parametrize(
    ("period_s", "offset_s", "says"),
    [
        (1, 0.25, "each second, "),
        (5, 2.0, "every 5 s, at second :02, :07, :12, …"),
        (30, 17.0, "every 30 s, at second :17, :47, …"),
        (300, 150.0, "every 5 minutes, at 2:"),
    ],
)
def test_a_period_is_named_with_its_second(period_s: int, offset_s: float, says: str) -> None:
    """On the wall clock, among noise that keeps none."""
    generator, count = np.random.default_rng(SEED), 60
    kept = MINUTE // NS_PER_S % period_s
    regular = offset_s - kept + period_s * np.arange(1, count + 1)
    stray = generator.uniform(0.0, period_s * count, count // 10)
    found = find_period(events(np.concatenate([regular, stray])), period_s * count * NS_PER_S)
    assert found is not None
    assert found.period_s == period_s
    assert found.says().startswith(says)
    assert periodicity_check(found).verdict == "noisy"


@pytest.mark.parametrize("per_s", [0.2, 1.0, 5.0, 100.0])
def test_noise_without_a_period_has_none(per_s: float) -> None:
    """Of 300 watches of ten minutes at most 2 % claim one, sparse or without pause."""
    generator, wrong = np.random.default_rng(SEED), 0
    for _ in range(300):
        at_s = generator.uniform(0.0, 600.0, generator.poisson(600 * per_s))
        wrong += find_period(events(at_s), 600 * NS_PER_S) is not None
    assert wrong <= 6, f"seed {SEED}: {wrong} of 300"


def test_a_period_is_claimed_only_after_five_of_them() -> None:
    """In 130 s a minute has been seen twice: that proves nothing."""
    assert observable(130 * NS_PER_S) == (1, 5, 10, 15)
    assert observable(1500 * NS_PER_S) == PERIODS_S
    few = events(60.0 * np.arange(3))
    assert find_period(few, 1500 * NS_PER_S) is None
    assert periodicity_check(None).verdict == "trusted"


def test_events_close_together_are_one() -> None:
    """A cluster ends with a quiet time, so that noise without pause is a single event."""
    at_ns = np.array([0, 5, 9, 30, 34, 60], dtype=np.int64)
    assert decluster(at_ns, 10).tolist() == [0, 30, 60]
    assert decluster(np.arange(0, 1000, 5), 10).tolist() == [0]
    assert decluster(np.array([], dtype=np.int64), 10).tolist() == []


@given(st.lists(st.integers(0, 10**6), min_size=1), st.integers(1, 10**5))
def test_declustered_events_keep_their_distance(instants: list[int], quiet: int) -> None:
    """Each is one of the events, and the first is the first."""
    kept = decluster(np.array(instants, dtype=np.int64), quiet)
    assert kept[0] == min(instants)
    assert set(kept.tolist()) <= set(instants)
    assert all(np.diff(kept) >= quiet)


def test_events_are_counted_by_second_of_the_minute() -> None:
    """On the wall clock."""
    counts = by_second(events([0.1, 59.9, 60.2, 61.0]))
    assert (counts[0], counts[1], counts[59], counts.sum()) == (2, 1, 1, 4)


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_every_second_watched_belongs_to_one_of_the_minute(began_ms: int, length_ms: int) -> None:
    """The sum is the length, and none differs from another by more than one turn."""
    watched = watched_by_second(began_ms * NS_PER_MS, length_ms * NS_PER_MS)
    assert sum(watched) == pytest.approx(length_ms / 1000)
    assert max(watched) - min(watched) <= 1.0 + 1e-9
