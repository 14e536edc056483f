"""Whether failures are as likely at every load."""

import numpy as np

from breakstep.analysis.homogeneity import Counted, alike, share_of_all

LOADS = (50.0, 100.0, 150.0)


def _drawn(shares: tuple[float, ...], seed: int, arrivals: int = 1_000) -> list[Counted]:
    random = np.random.default_rng(seed)
    pairs = zip(LOADS, shares, strict=True)
    return [Counted(load, int(random.binomial(arrivals, share)), arrivals) for load, share in pairs]


def test_a_constant_share_is_alike_nearly_always() -> None:
    """One in six at every load, 300 times: wrongly called unlike in less than one in fifty."""
    calls = [alike(_drawn((1 / 6,) * 3, seed)) for seed in range(300)]
    assert calls.count(False) < 6


def test_a_share_that_grows_with_the_load_is_not() -> None:
    """From 5 % to 15 %, 300 times."""
    assert not any(alike(_drawn((0.05, 0.10, 0.15), seed)) for seed in range(300))


def test_failures_in_groups_are_alike_if_they_do_not_follow_the_load() -> None:
    """The measured shares of a pool over its limit: 16.4, 17.9 and 16.0 %, of many requests."""
    shares = (0.164, 0.179, 0.160)
    counts = [
        Counted(load, round(20_000 * s), 20_000) for load, s in zip(LOADS, shares, strict=True)
    ]
    assert alike(counts)


def test_one_load_says_nothing_of_others() -> None:
    """Nor do two measurements of the same one."""
    assert not alike([Counted(50.0, 8, 50)])
    assert not alike([Counted(50.0, 8, 50), Counted(50.0, 8, 50)])


def test_everything_failing_is_alike() -> None:
    """A wrong route answers 404 at every load; nothing failing is alike too."""
    assert alike([Counted(load, 10, 10) for load in LOADS])
    assert alike([Counted(load, 0, 10) for load in LOADS])


def test_loads_without_arrivals_are_passed_over() -> None:
    """They would have a share of nothing."""
    assert share_of_all([Counted(1.0, 0, 0)]) == 0.0
    assert not alike([Counted(50.0, 8, 50), Counted(100.0, 0, 0)])
