"""The same service twice, and a slower one: whether the search tells a difference from none."""

from itertools import pairwise

import pytest

import breakstep
from acceptance.again import TRIES
from acceptance.target import target

pytestmark = [pytest.mark.sockets, pytest.mark.slow, pytest.mark.timeout(1_800)]
PAIRS = 10
SLOWER = 1.15


def test_the_same_service_gives_the_same_answer() -> None:
    """Of eleven quick searches each interval overlaps the next one: ten pairs of ten."""
    intervals = [interval_per_s(1.0, seed, effort="quick") for seed in range(PAIRS + 1)]
    overlaps = [one[0] <= next_[1] and next_[0] <= one[1] for one, next_ in pairwise(intervals)]
    assert overlaps == [True] * PAIRS, intervals


def test_a_slower_service_gives_another() -> None:
    """One that takes 15 % longer breaks below all that the search of the first leaves open."""
    slower = interval_per_s(SLOWER, PAIRS + 1, budget="5m")
    service = interval_per_s(1.0, PAIRS + 2, budget="5m")
    assert slower[1] < service[0], (slower, service)


def interval_per_s(service_ms: float, seed: int, **how: str) -> tuple[float, float]:
    """In which the breaking load of four servers lies; no two searches share their chances."""
    law = f"exponential:{service_ms:g}ms"
    with target("--servers", "4", "--service", law, "--seed", str(seed)) as url:
        for _ in range(TRIES):
            answer = breakstep.find(
                url,
                slo="p95<5ms",
                warmup="500ms",
                seed=seed,
                **how,  # type: ignore[arg-type]
            ).answer
            if answer.knee_interval_per_s is not None:
                break
    assert answer.knee_interval_per_s is not None, answer
    return answer.knee_interval_per_s
