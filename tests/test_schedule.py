"""Schedules: what the engine intends to offer, asked without offering it."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from math import exp, log, sqrt
from statistics import fmean, pvariance
from typing import Final, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakstep._engine import Segment, intended_requests, intended_starts

S: Final = 1_000_000_000
RATE: Final = 1_000.0
SEEDS: Final = (1, 2, 3, 4, 5)
# One in a thousand: of 1.95 / √n for Kolmogorov and Smirnov's distance, and of 6.0 for Anderson and
# Darling's statistic with the distribution known. The seeds are fixed, so the tests always agree.
KS_LIMIT: Final = 1.95
AD_LIMIT: Final = 6.0

Law = Literal["uniform", "poisson"]
LAWS: Final[tuple[Law, ...]] = ("uniform", "poisson")


def constant(law: Law, seed: int = 1, seconds: int = 20, rate: float = RATE) -> Segment:
    """One rate all the time."""
    return Segment(
        start_ns=0,
        duration_ns=seconds * S,
        from_per_s=rate,
        to_per_s=rate,
        arrivals=law,
        seed=seed,
    )


@st.composite
def loads(draw: st.DrawFn, laws: Sequence[Law] = LAWS) -> list[Segment]:
    """Up to four segments, constant or ramps, with pauses between them."""
    start_ns, segments = 0, []
    for _ in range(draw(st.integers(1, 4))):
        start_ns += draw(st.integers(0, 2 * S))
        duration_ns = draw(st.integers(1, 5 * S))
        segments.append(
            Segment(
                start_ns=start_ns,
                duration_ns=duration_ns,
                from_per_s=draw(st.floats(0.0, 500.0)),
                to_per_s=draw(st.floats(0.0, 500.0)),
                arrivals=draw(st.sampled_from(laws)),
                seed=draw(st.integers(0, 2**50)),
            )
        )
        start_ns += duration_ns
    return segments


@given(loads())
def test_intended_starts_never_go_back(segments: list[Segment]) -> None:
    """A schedule is monotone, across its segments too."""
    starts = intended_starts(segments)
    assert starts == sorted(starts)


@given(st.floats(0.0, 2_000.0), st.floats(0.0, 2_000.0), st.integers(1, 5 * S), st.floats(0.0, 1.0))
def test_uniform_arrivals_follow_the_integral_of_the_rate(
    from_per_s: float, to_per_s: float, duration_ns: int, share: float
) -> None:
    """count(t) = ∫ rate ± 1 at every t, on ramps up and down as on a constant rate."""
    segment = Segment(
        start_ns=7 * S,
        duration_ns=duration_ns,
        from_per_s=from_per_s,
        to_per_s=to_per_s,
        arrivals="uniform",
    )
    at_ns = round(share * duration_ns)
    t_s, of = at_ns / S, at_ns / duration_ns
    integral = t_s * (from_per_s + (to_per_s - from_per_s) * of / 2)
    count = bisect_left(intended_starts([segment]), 7 * S + at_ns)
    assert abs(count - integral) <= 1.0 + 1e-6


@given(loads(), st.integers(1, 9))
def test_the_workers_together_offer_what_one_would(segments: list[Segment], workers: int) -> None:
    """Splitting a schedule neither adds, loses nor moves an arrival, and is even in a segment."""
    parts = [intended_starts(segments, worker=worker, workers=workers) for worker in range(workers)]
    assert sorted(at for part in parts for at in part) == intended_starts(segments)
    assert max(map(len, parts)) - min(map(len, parts)) <= len(segments)


WEIGHTS = st.lists(st.floats(0.01, 100.0), min_size=1, max_size=20)


@given(loads(), WEIGHTS, st.integers(1, 9))
def test_the_workers_together_perform_what_one_would(
    segments: list[Segment], weights: list[float], workers: int
) -> None:
    """What an arrival performs is the same whichever worker offers it."""
    alone = zip(intended_starts(segments), intended_requests(segments, weights), strict=True)
    together = [
        arrival
        for worker in range(workers)
        for arrival in zip(
            intended_starts(segments, worker=worker, workers=workers),
            intended_requests(segments, weights, worker=worker, workers=workers),
            strict=True,
        )
    ]
    assert sorted(together) == sorted(alone)


@given(loads(), WEIGHTS, st.floats(0.001, 1000.0))
def test_only_the_ratio_of_weights_counts(
    segments: list[Segment], weights: list[float], factor: float
) -> None:
    """Percent or parts: but for an arrival in a million, which rounding may move."""
    one = intended_requests(segments, weights)
    other = intended_requests(segments, [factor * weight for weight in weights])
    assert sum(a != b for a, b in zip(one, other, strict=True)) <= 1


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_shares_converge_to_the_weights(law: Law, seed: int) -> None:
    """Among any first n arrivals, within four standard deviations: as 1 / √n."""
    performed = intended_requests([constant(law, seed)], [7.0, 2.0, 1.0])
    for count in (200, 2_000, 20_000):
        for request, share in enumerate((0.7, 0.2, 0.1)):
            seen = performed[:count].count(request) / count
            assert abs(seen - share) < 4.0 * sqrt(share * (1.0 - share) / count)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_an_arrival_performs_does_not_depend_on_those_before(seed: int) -> None:
    """After a request the others are as likely as ever, within four standard deviations."""
    performed = intended_requests([constant("uniform", seed)], [1.0, 1.0])
    changes = sum(earlier != later for earlier, later in pairwise(performed))
    assert abs(changes / len(performed) - 0.5) < 4.0 * 0.5 / sqrt(len(performed))


@pytest.mark.parametrize("weights", [[], [0.0], [1.0, -1.0], [float("nan")], [float("inf")]])
def test_a_mix_without_sense_is_refused(weights: list[float]) -> None:
    """The message says what weights must be."""
    with pytest.raises(ValueError, match="requests: "):
        intended_requests([constant("uniform")], weights)


@given(loads())
def test_the_same_seed_is_the_same_schedule(segments: list[Segment]) -> None:
    """Asked twice, it is the same to the nanosecond."""
    assert intended_starts(segments) == intended_starts(segments)


def test_other_seeds_are_other_schedules() -> None:
    """No two of a hundred seeds share more than a chance arrival."""
    starts = {tuple(intended_starts([constant("poisson", seed, 1)])) for seed in range(100)}
    assert len(starts) == 100


def test_uniform_arrivals_need_no_seed() -> None:
    """Evenly spaced is evenly spaced."""
    one, other = (intended_starts([constant("uniform", seed, 1)]) for seed in (1, 2))
    assert one == other


def test_uniform_arrivals_are_evenly_spaced() -> None:
    """Every gap is the reciprocal of the rate, to the nanosecond that it is rounded to."""
    starts = intended_starts([constant("uniform")])
    assert len(starts) == 20_000
    assert all(abs(at - k * S // 1_000) <= 1 for k, at in enumerate(starts))


@pytest.mark.parametrize("seed", SEEDS)
def test_poisson_gaps_are_exponential(seed: int) -> None:
    """By Kolmogorov and Smirnov's distance and by Anderson and Darling's statistic."""
    starts = intended_starts([constant("poisson", seed)])
    levels = sorted(1.0 - exp(-RATE * (b - a) / S) for a, b in pairwise([0, *starts]))
    assert _ks_distance(levels) * sqrt(len(levels)) < KS_LIMIT
    assert _anderson_darling(levels) < AD_LIMIT


@pytest.mark.parametrize("seed", SEEDS)
def test_poisson_gaps_know_nothing_of_each_other(seed: int) -> None:
    """A gap and the next one are not correlated, beyond four standard deviations of chance."""
    starts = intended_starts([constant("poisson", seed)])
    gaps = [later - earlier for earlier, later in pairwise(starts)]
    mean, variance = fmean(gaps), pvariance(gaps)
    lagged = fmean((a - mean) * (b - mean) for a, b in pairwise(gaps)) / variance
    assert abs(lagged) < 4.0 / sqrt(len(gaps))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("bin_ns", [1_000_000, 10_000_000, 100_000_000])
def test_poisson_counts_vary_as_much_as_their_mean(seed: int, bin_ns: int) -> None:
    """Dispersion 1 in bins of every length, within four standard deviations of its estimate."""
    bins = 20 * S // bin_ns
    dispersion = _dispersion(intended_starts([constant("poisson", seed)]), bin_ns, bins)
    assert abs(dispersion - 1.0) < 4.0 * sqrt(2.0 / bins)


def test_uniform_counts_do_not_vary() -> None:
    """One arrival in every millisecond, counted from half of one to the next."""
    starts = [at + 500_000 for at in intended_starts([constant("uniform")])]
    assert _dispersion(starts, 1_000_000, 20_000) == 0.0


@pytest.mark.parametrize("seed", SEEDS)
def test_a_poisson_ramp_has_the_arrivals_of_its_integral(seed: int) -> None:
    """In each quarter of a ramp from zero, within four standard deviations."""
    ramp = Segment(
        start_ns=0,
        duration_ns=20 * S,
        from_per_s=0.0,
        to_per_s=2 * RATE,
        arrivals="poisson",
        seed=seed,
    )
    counts = Counter(at // (5 * S) for at in intended_starts([ramp]))
    for quarter in range(4):
        expected = RATE * 20 * (2 * quarter + 1) / 16
        assert abs(counts[quarter] - expected) < 4.0 * sqrt(expected)


def test_the_limit_bounds_what_is_listed() -> None:
    """A long schedule can be looked at from its start."""
    segments = [constant("poisson")]
    assert intended_starts(segments, limit=10) == intended_starts(segments)[:10]


def _ks_distance(levels: Sequence[float]) -> float:
    """The largest distance between the sorted values' distribution and the uniform one."""
    n = len(levels)
    return max(max((k + 1) / n - level, level - k / n) for k, level in enumerate(levels))


def _anderson_darling(levels: Sequence[float]) -> float:
    """A² = −n − Σ (2k − 1)/n · (ln u_k + ln(1 − u_(n+1−k))), k from 1, u sorted and uniform."""
    n = len(levels)
    pairs = zip(levels, reversed(levels), strict=True)
    total = sum((2 * k + 1) * (log(low) + log(1.0 - high)) for k, (low, high) in enumerate(pairs))
    return -n - total / n


def _dispersion(starts: Sequence[int], bin_ns: int, bins: int) -> float:
    counts = Counter(at // bin_ns for at in starts)
    numbers = [counts[number] for number in range(bins)]
    return pvariance(numbers) / fmean(numbers)
