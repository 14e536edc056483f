"""Gaps between sends against the law of random arrivals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from breakstep.analysis.gaps import ALLOWED, anderson_darling, gaps_checks

if TYPE_CHECKING:
    from numpy.typing import NDArray

SECONDS = 20


def poisson(rate_per_s: float, seed: int) -> NDArray[np.float64]:
    """Random instants, ns."""
    random = np.random.default_rng(seed)
    return np.cumsum(random.exponential(1e9 / rate_per_s, round(SECONDS * rate_per_s)))


def sent(intended_ns: NDArray[np.float64], late_ns: float) -> NDArray[np.int64]:
    """By one thread that wakes so late, and then sends all that is due, one each 8 µs."""
    random, left_ns, now_ns = np.random.default_rng(1), [], 0.0
    for due_ns in intended_ns:
        if due_ns > now_ns:
            now_ns = due_ns + random.exponential(late_ns)
        left_ns.append(now_ns)
        now_ns += 8_000.0
    return np.array(left_ns, dtype=np.int64)


def breaches(rate_per_s: float, late_ns: float, runs: int = 20) -> int:
    """How many of the runs are not called trusted."""
    found = 0
    for seed in range(runs):
        at_ns = poisson(rate_per_s, seed)
        (check,) = gaps_checks(at_ns.astype(np.int64), sent(at_ns, late_ns))
        found += check.verdict == "noisy"
    return found


def test_a_known_sample_has_the_known_statistic() -> None:
    """Five quantiles of an exponential law, by hand: A² = 0.183."""
    sample = -np.log(1.0 - (np.arange(1, 6) - 0.5) / 5.0)
    z = 1.0 - np.exp(-sample / sample.mean())
    odd = np.arange(1, 10, 2)
    by_hand = -5.0 - float(np.sum(odd * (np.log(z) + np.log(1.0 - z[::-1])))) / 5.0
    assert anderson_darling(sample, 1) == pytest.approx(by_hand * 1.12)


@pytest.mark.parametrize("rate_per_s", [100.0, 1_000.0, 5_000.0])
def test_a_generator_that_wakes_a_little_late_passes(rate_per_s: float) -> None:
    """With 0.1 ms on average, as on an ordinary virtual machine, at any rate."""
    assert breaches(rate_per_s, 100_000.0) == 0


def test_a_generator_that_sleeps_in_milliseconds_does_not() -> None:
    """Sends on the ticks of a clock of 10 ms come in bunches."""
    at_ns = poisson(1_000.0, 1)
    ticks = (np.ceil(at_ns / 1e7) * 1e7).astype(np.int64)
    (check,) = gaps_checks(at_ns.astype(np.int64), ticks)
    assert check.verdict == "noisy"
    assert check.value is not None
    assert check.value > ALLOWED
    assert breaches(1_000.0, 3_000_000.0) == 20


def test_a_schedule_that_is_not_random_is_a_bug() -> None:
    """Evenly spaced where it was to be random: the step is worth nothing."""
    even = (np.arange(20_000) * 1e6).astype(np.int64)
    (check,) = gaps_checks(even, even)
    assert check.verdict == "invalid"
    assert "a bug in breakstep" in check.says


def test_random_schedules_are_hardly_ever_called_wrong() -> None:
    """None of 300."""
    for seed in range(300):
        at_ns = poisson(200.0, seed).astype(np.int64)
        (check,) = gaps_checks(at_ns, at_ns)
        assert check.verdict == "trusted", seed


def test_few_arrivals_say_nothing() -> None:
    """Nor does nothing at all."""
    none = np.empty(0, np.int64)
    assert gaps_checks(none, none) == []
    assert gaps_checks(np.arange(150) * 10**8, np.arange(150) * 10**8) == []
