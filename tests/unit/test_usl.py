"""The universal scalability law: what is recovered, and what is refused in which words."""

from collections.abc import Callable, Sequence
from math import exp, sqrt
from random import Random

import pytest

from breakstep.analysis.usl import Point, fit_usl, throughput
from breakstep.model.sweep import Usl

POWERS = tuple(2.0**k for k in range(8))
TWELVE = (1.0, 2.0, 3.0, 4.0, 6.0, 9.0, 13.0, 19.0, 28.0, 40.0, 53.0, 65.0)
ALPHA, BETA, GAMMA = 0.05, 5e-4, 100.0
PEAK = sqrt((1 - ALPHA) / BETA)
RESAMPLES = 40


def law(concurrency: float) -> float:
    """The service that the vectors of the method are of."""
    return throughput(concurrency, ALPHA, BETA, GAMMA)


def hard(limit: float) -> Callable[[float], float]:
    """So many servers of 5 ms each: in proportion, then flat."""
    return lambda concurrency: min(200.0 * concurrency, limit)


def points(
    x: Callable[[float], float], levels: Sequence[float] = POWERS, noise: float = 0.0, seed: int = 1
) -> list[Point]:
    """Throughput at these levels, with relative noise."""
    random = Random(seed)  # noqa: S311  reproducible on purpose
    return [Point(n, x(n) * exp(noise * random.gauss(0.0, 1.0))) for n in levels]


def fitted(found: Usl) -> tuple[float, float, float]:
    """The parameters, which are there."""
    assert found.alpha is not None
    assert found.beta is not None
    assert found.gamma is not None
    return found.alpha, found.beta, found.gamma


def test_an_open_queue_fits_with_a_half_nothing_and_half_its_rate() -> None:
    """M/M/1 with N = ρ/(1 − ρ): α is no serial fraction there."""
    rhos = (0.05, 0.1, 0.2, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
    found = fit_usl([Point(rho / (1 - rho), 1000 * rho) for rho in rhos], RESAMPLES)
    alpha, beta, gamma = fitted(found)
    assert alpha == pytest.approx(0.5, abs=1e-4)
    assert beta == pytest.approx(0.0, abs=1e-9)
    assert gamma == pytest.approx(500.0, rel=1e-4)
    assert (found.valid, found.n_max) == (True, None)
    assert found.asymptote_per_s == pytest.approx(1000.0, rel=1e-3)
    assert found.why.startswith("no retrograde seen")


def test_a_law_without_noise_is_recovered() -> None:
    """The vector of the method."""
    found = fit_usl(points(law), RESAMPLES)
    assert fitted(found) == pytest.approx((ALPHA, BETA, GAMMA), rel=1e-4)
    assert found.n_max == pytest.approx(PEAK, rel=1e-4)
    assert found.valid
    assert "peaks near 44 users" in found.why


@pytest.mark.parametrize("seed", range(5))
def test_with_noise_the_peak_is_near(seed: int) -> None:
    """2 % of noise, twelve levels up to one and a half times the peak; a peak within 10 %."""
    found = fit_usl(points(law, TWELVE, 0.02, seed), RESAMPLES)
    assert found.valid
    assert found.n_max == pytest.approx(PEAK, rel=0.1)
    assert "indicative" not in found.why


def test_the_interval_covers_the_peak_more_often_than_not() -> None:
    """88 of 100 samples with 150 resamples each; here the first 20 of them."""
    covered = 0
    for seed in range(1000, 1020):
        interval = fit_usl(points(law, TWELVE, 0.02, seed), resamples=60).n_max_interval
        assert interval is not None
        covered += interval[0] <= PEAK <= interval[1]
    assert covered >= 15


def test_the_same_points_give_the_same_fit() -> None:
    """The bootstrap has a seed of its own, and the order of the points is nothing."""
    noisy = points(law, noise=0.02)
    assert fit_usl(noisy, RESAMPLES) == fit_usl(noisy[::-1], RESAMPLES)


def test_eight_levels_are_called_indicative() -> None:
    """Their intervals are too narrow."""
    assert "indicative: 8 levels" in fit_usl(points(law, noise=0.02), RESAMPLES).why


@pytest.mark.parametrize(
    ("levels", "words"),
    [
        ((1, 2, 4, 8, 16, 32, 64), "7 usable levels, and it takes 8"),
        ((1, 1, 1, 1, 1, 1, 1, 128), "2 usable levels, and it takes 8"),
        ((10, 12, 14, 16, 18, 20, 22, 24), "from 10 to 24 users span less than a factor of 8"),
        ((), "0 usable levels"),
    ],
)
def test_too_little_is_not_fitted(levels: Sequence[float], words: str) -> None:
    """Eight distinct levels over a factor of eight, or no number at all."""
    found = fit_usl(points(law, levels), RESAMPLES)
    assert (found.alpha, found.valid) == (None, False)
    assert words in found.why


def test_a_peak_far_beyond_the_levels_is_withheld() -> None:
    """Up to half of the peak its interval spans a factor of 4 and more."""
    levels = (1.0, 2.0, 4.0, 6.0, 9.0, 12.0, 15.0, 18.0, 20.0, 22.0)
    found = fit_usl(points(law, levels), RESAMPLES)
    assert found.valid
    assert found.n_max is None
    assert "the highest level is 22: go further" in found.why


def test_superlinear_throughput_is_not_the_laws() -> None:
    """Caches that warm with load give each user more."""
    found = fit_usl(points(lambda n: 100.0 * n**1.1), RESAMPLES)
    assert (found.valid, found.n_max) == (False, None)
    assert found.why.startswith("throughput a user rises from 100/s with 1 to 162/s with 128")


@pytest.mark.parametrize("servers", [2, 4, 16])
@pytest.mark.parametrize("noise", [0.0, 0.005, 0.02])
def test_a_hard_limit_is_not_the_laws(servers: int, noise: float) -> None:
    """A pool grows in proportion and stands still: no contention, no coherence."""
    found = fit_usl(points(hard(200.0 * servers), noise=noise), RESAMPLES)
    assert (found.valid, found.n_max) == (False, None)
    assert "a hard limit" in found.why


@pytest.mark.parametrize("noise", [0.0, 0.005, 0.02])
def test_a_single_server_is_all_contention(noise: float) -> None:
    """Flat from one user on is the law itself, with α 1, and no peak."""
    found = fit_usl(points(hard(200.0), noise=noise), RESAMPLES)
    assert found.valid
    alpha, _, gamma = fitted(found)
    assert alpha == pytest.approx(1.0, abs=0.05)
    assert gamma == pytest.approx(200.0, rel=0.05)
    assert found.n_max is None


def test_throughput_in_proportion_shows_no_limit() -> None:
    """Then there is no asymptote to name."""
    found = fit_usl(points(lambda n: 200.0 * n), RESAMPLES)
    assert found.valid
    assert (found.n_max, found.asymptote_per_s) == (None, None)
    assert found.why.endswith("no limit shows yet")


def test_the_law_is_hardly_ever_taken_for_a_hard_limit() -> None:
    """Of forty noisy samples of it, none."""
    for seed in range(40):
        found = fit_usl(points(law, noise=0.03, seed=seed), resamples=4)
        assert "hard limit" not in found.why
