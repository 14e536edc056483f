"""The same light load again and again."""

from dataclasses import replace

import numpy as np
from test_exceedance import times

from breakstep.analysis.rows import Rows
from breakstep.analysis.steady import drift, judge_canary


def light(mean: float, seed: int) -> Rows:
    """Exponential response times."""
    random = np.random.default_rng(seed)
    return times(*(int(value) for value in random.exponential(mean, 4_000)))


def test_the_first_canary_is_noted() -> None:
    """There is nothing to compare it with."""
    assert judge_canary(None, light(1_000.0, 1)).name == "pass"


def test_a_pause_spoils_the_first_canary() -> None:
    """In a tenth of it already: it is measured again, and nothing is held against it."""
    rows = light(1_000.0, 1)
    ended_ns = rows.ended_ns.copy()
    ended_ns[1_000:1_400] += 1_000_000
    paused = replace(rows, ended_ns=ended_ns)
    assert judge_canary(None, paused).name == "invalid"


def test_an_ordinary_light_load_is_noted() -> None:
    """Of a hundred, none is called a pause."""
    assert all(judge_canary(None, light(1_000.0, seed)).name == "pass" for seed in range(100))


def test_the_same_service_passes() -> None:
    """Of fifty none is called another."""
    first = light(1_000.0, 0)
    assert all(judge_canary(first, light(1_000.0, seed)).name == "pass" for seed in range(1, 51))


def test_a_slower_service_is_found_out() -> None:
    """A third slower, in words."""
    verdict = judge_canary(light(1_000.0, 1), light(1_330.0, 2))
    assert verdict.name == "fail"
    assert "slower than at the start" in verdict.reasons[0]


def test_a_small_change_is_let_pass_however_sure() -> None:
    """8 % is no other service."""
    assert drift(light(1_000.0, 1), light(1_080.0, 1)) is None


def test_too_few_arrivals_establish_nothing() -> None:
    """Ten a batch at least."""
    assert drift(light(1_000.0, 1)[:199], light(9_000.0, 2)) is None
