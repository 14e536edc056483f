"""How much longer an undecided load would have to be held."""

from breakstep.analysis.longer import longer
from breakstep.model.record import Criterion, Estimate
from breakstep.model.units import NS_PER_S


def criterion(share: float, lower: float, upper: float) -> Criterion:
    """Undecided, with 5 % allowed."""
    estimate = Estimate(1_000, round(1_000 * share), share, 1.0, 1_000.0, lower, upper, 0.05)
    return Criterion("p95<1s", None, 1_000.0, "undecided", "", estimate)


def test_it_takes_the_square_of_what_the_bound_lacks() -> None:
    """Twice too wide is four times as long, and a little to spare."""
    assert longer([criterion(0.03, 0.01, 0.07)], 60 * NS_PER_S).endswith("--for 312s")


def test_at_the_limit_no_time_is_long_enough() -> None:
    """Then another rate or another bound is."""
    assert "lower --rate" in longer([criterion(0.0499, 0.03, 0.07)], 60 * NS_PER_S)
    assert "lower --rate" in longer([criterion(0.05, 0.03, 0.07)], 60 * NS_PER_S)


def test_it_is_never_less_than_twice_as_long() -> None:
    """Also where nothing says how much it takes."""
    assert longer([], 30 * NS_PER_S).endswith("--for 60s")
    assert longer([criterion(0.01, 0.005, 0.052)], 30 * NS_PER_S).endswith("--for 60s")
