"""The line through ln p̂."""

from dataclasses import replace
from math import exp

import pytest
from fakes import record

from breakstep.analysis.knee import abrupt, knee
from breakstep.model.record import Criterion, Estimate, Queue, StepRecord


def step(
    rate_per_s: float, share: float, queue: Queue = "stable", slo: str = "p99<10ms"
) -> StepRecord:
    """A load with that share of bad arrivals, 40 000 of them, each fourth one worth anything."""
    bad = round(share * 40_000)
    estimate = Estimate(40_000, bad, share, 4.0, 9_000.0, 0.0, 1.0, 0.01)
    criterion = Criterion(slo, None, 10.0, "undecided", "", estimate)
    plain = record(0, rate_per_s, "undecided", queue=queue)
    return replace(plain, verdict=replace(plain.verdict, criteria=(criterion,)))


def exact(rate_per_s: float) -> float:
    """M/M/1 at 1 000/s with a bound of 10 ms: the knee is at 1 000 − 100·ln 100 = 539.5."""
    return exp(-(1_000.0 - rate_per_s) * 0.01)


def test_the_knee_of_one_exponential_server_is_found() -> None:
    """From loads on both sides, to a tenth of a per cent."""
    found = knee([step(rate, exact(rate)) for rate in (500.0, 530.0, 545.0, 570.0)], 500.0, 570.0)
    assert found.per_s == pytest.approx(539.5, rel=1e-3)
    assert found.interval_per_s[0] < 539.5 < found.interval_per_s[1]
    assert found.slo == "p99<10ms"


def test_the_interval_does_not_leave_the_bracket() -> None:
    """What held and what broke are known better than any line."""
    found = knee([step(rate, exact(rate)) for rate in (536.0, 540.0, 544.0)], 536.0, 544.0)
    assert 536.0 <= found.interval_per_s[0] <= found.interval_per_s[1] <= 544.0


def test_without_three_usable_loads_it_is_the_bracket() -> None:
    """Growing steps and shares far from what is allowed are not usable."""
    steps = [step(500.0, 0.0), step(530.0, 0.009), step(550.0, 0.011)]
    steps.append(step(600.0, 0.2, "growing"))
    found = knee(steps, 500.0, 600.0)
    assert found.slo is None
    assert found.interval_per_s == (500.0, 600.0)
    assert found.per_s == pytest.approx((530.0 * 550.0) ** 0.5)


def test_a_share_that_falls_with_load_draws_no_line() -> None:
    """No crossing from below."""
    steps = [step(500.0, 0.03), step(530.0, 0.01), step(550.0, 0.004)]
    assert knee(steps, 500.0, 550.0).slo is None


def test_the_slo_that_breaks_first_is_the_knee() -> None:
    """Of two lines the lower crossing."""
    late = [step(rate, exact(rate - 20.0), slo="p99<9ms") for rate in (520.0, 540.0, 560.0)]
    early = [step(rate, exact(rate), slo="p99<10ms") for rate in (520.0, 540.0, 560.0)]
    assert knee([*late, *early], 520.0, 560.0).slo == "p99<10ms"


def test_a_jump_within_a_width_is_abrupt() -> None:
    """From none to more than half within 3 %, and not within 10 %."""
    assert abrupt([step(500.0, 0.0), step(512.0, 0.7)], 0.03)
    assert not abrupt([step(500.0, 0.0), step(550.0, 0.7)], 0.03)
    assert not abrupt([step(500.0, 0.009), step(512.0, 0.7)], 0.03)
