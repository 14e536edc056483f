"""The MSER-5 cut."""

import numpy as np
from test_exceedance import times

from breakstep.analysis.warmup import mser_cut

CAP = 1_000.0


def noise(count: int, level: float) -> list[int]:
    """Response times around a level."""
    random = np.random.default_rng(1)
    return [int(value) for value in random.normal(level, 10.0, count)]


def test_a_slow_start_is_cut() -> None:
    """Cold caches in the first tenth, and nothing much more."""
    cut = mser_cut(times(*noise(200, 500.0), *noise(1_800, 100.0)), CAP)
    assert 200 <= cut <= 400


def test_a_settled_hold_loses_little() -> None:
    """Nothing is settling: less than half goes."""
    assert mser_cut(times(*noise(2_000, 100.0)), CAP) < 1_000


def test_a_late_change_is_past_the_middle() -> None:
    """Whoever calls takes that for not settled."""
    assert mser_cut(times(*noise(1_500, 500.0), *noise(500, 100.0)), CAP) > 1_000


def test_how_bad_an_arrival_was_does_not_matter() -> None:
    """A freeze of a minute is no more than one of the cap."""
    calm = noise(2_000, 100.0)
    frozen = calm.copy()
    frozen[1_000] = 60_000_000_000
    capped = calm.copy()
    capped[1_000] = int(CAP)
    assert mser_cut(times(*frozen), CAP) == mser_cut(times(*capped), CAP)


def test_few_arrivals_are_all_kept() -> None:
    """Below a hundred there is nothing to see."""
    assert mser_cut(times(*noise(99, 100.0)), CAP) == 0
