"""The first half of a step against its second."""

import numpy as np
import pytest
from fakes import record

from breakstep.analysis.halves import halves_checks, p_value
from breakstep.analysis.trust import trust_of, with_halves
from breakstep.model.units import NS_PER_MS

SEED = 20261130


def queue(load: float, requests: int, generator: np.random.Generator) -> np.ndarray:
    """Response times of one server with exponential service, settled; mean service 1 ms."""
    count = requests + 5000
    services, gaps = generator.exponential(1.0, count), generator.exponential(1.0 / load, count)
    steps = np.concatenate([[0.0], np.cumsum(services[:-1] - gaps[1:])])
    waits = steps - np.minimum.accumulate(steps)
    return ((waits + services)[5000:] * NS_PER_MS).astype(np.int64)


def alarms(load: float, requests: int, steps: int = 400) -> float:
    """Share of steps that are the same throughout and are told otherwise."""
    generator = np.random.default_rng(SEED)
    found = [halves_checks(queue(load, requests, generator))[0] for _ in range(steps)]
    return sum(check.verdict == "noisy" for check in found) / steps


@pytest.mark.parametrize(
    ("load", "requests", "most"),
    [(0.1, 2000, 0.03), (0.5, 2000, 0.03), (0.8, 2000, 0.04), (0.9, 20_000, 0.03)],
)
def test_halves_of_one_step_are_alike(load: float, requests: int, most: float) -> None:
    """About one in a hundred is called unlike, as p ≤ 0.01 promises, up to high loads."""
    share = alarms(load, requests)
    assert share <= most, f"seed {SEED}: {share}"


def test_batches_shorter_than_the_queues_memory_are_too_few() -> None:
    """At nine tenths of the capacity 2 000 requests cry wolf in up to one step of eight."""
    assert 0.01 < alarms(0.9, 2000) < 0.125


def test_a_service_that_slows_down_within_the_step_is_found() -> None:
    """A fifth slower from the middle on."""
    response_ns = queue(0.5, 20_000, np.random.default_rng(SEED))
    response_ns[10_000:] = response_ns[10_000:] * 12 // 10
    (check,) = halves_checks(response_ns)
    assert check.verdict == "noisy"
    assert "slower" in check.says


def test_a_trifle_is_none_of_our_business() -> None:
    """Two percent may well be significant; they change nothing."""
    response_ns = np.full(20_000, 10 * NS_PER_MS) + np.arange(20_000) % 7
    response_ns[10_000:] += NS_PER_MS // 5
    (check,) = halves_checks(response_ns)
    assert check.value is not None
    assert check.value < 0.01
    assert check.verdict == "trusted"


def test_a_short_step_has_no_halves() -> None:
    """Twenty requests a batch, twenty batches."""
    assert halves_checks(np.full(399, NS_PER_MS)) == []


def test_equal_samples_have_every_chance() -> None:
    """And two constants that differ have none."""
    same, other = np.full(10, 1.0), np.full(10, 2.0)
    assert p_value(same, same) == 1.0
    assert p_value(same, other) == 0.0


def test_unlike_halves_twice_at_one_rate_are_invalid() -> None:
    """Once may be chance, and the step is measured again."""
    response_ns = queue(0.5, 20_000, np.random.default_rng(SEED))
    response_ns[10_000:] *= 2
    found = halves_checks(response_ns)
    once = with_halves(trust_of([]), found, None, 100.0)
    assert once.verdict == "noisy"
    before = record(0, 100)
    assert with_halves(trust_of([]), found, before, 100.0).verdict == "noisy"
    step = type(before)(**{n: getattr(before, n) for n in before.__slots__} | {"trust": once})
    assert with_halves(trust_of([]), found, step, 100.0).verdict == "invalid"
    assert with_halves(trust_of([]), found, step, 150.0).verdict == "noisy"
