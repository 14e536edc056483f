"""Counts of sends against the law of their schedule."""

import numpy as np
import pytest

from breakstep._engine import Segment, intended_starts
from breakstep.analysis.dispersion import dispersion_checks, off
from breakstep.model.plan import Arrivals
from breakstep.model.units import NS_PER_MS, NS_PER_S

SEED = 20261130
HOLD = (0, 10 * NS_PER_S)


def schedule(law: Arrivals, rate_per_s: float, seed: int = 1) -> np.ndarray:
    """The engine's own intended starts over the hold."""
    segment = Segment(
        start_ns=0,
        duration_ns=HOLD[1],
        from_per_s=rate_per_s,
        to_per_s=rate_per_s,
        arrivals=law,
        seed=seed,
    )
    return np.array(intended_starts([segment]), dtype=np.int64)


@pytest.mark.parametrize("law", ["poisson", "uniform"])
@pytest.mark.parametrize("rate_per_s", [7.0, 37.5, 150.0, 1500.0, 20_000.0])
def test_the_engines_own_schedules_pass(law: Arrivals, rate_per_s: float) -> None:
    """At every rate and length of window, with a little lateness as well."""
    intended_ns = schedule(law, rate_per_s)
    late_ns = np.random.default_rng(SEED).exponential(50_000, len(intended_ns)).astype(np.int64)
    checks = dispersion_checks(intended_ns, intended_ns + late_ns, HOLD, law)
    assert {check.verdict for check in checks} <= {"trusted"}
    assert (len(checks) == 3) == (rate_per_s > 5.0)


def test_sends_held_back_and_let_go_at_once_are_noise() -> None:
    """A generator that only runs every 50 ms offers another load than the one on record."""
    intended_ns = schedule("poisson", 1000.0)
    step_ns = 50 * NS_PER_MS
    sent_ns = (intended_ns // step_ns + 1) * step_ns
    checks = dispersion_checks(intended_ns, sent_ns, HOLD, "poisson")
    verdicts = {check.name: check.verdict for check in checks}
    assert verdicts["dispersion_10ms"] == "noisy"
    assert verdicts["dispersion_1s"] == "trusted"


def test_a_schedule_that_is_not_its_law_is_a_bug() -> None:
    """Even spacing under the name of Poisson makes the step worth nothing."""
    intended_ns = schedule("uniform", 1000.0)
    checks = dispersion_checks(intended_ns, intended_ns, HOLD, "poisson")
    assert checks[0].verdict == "invalid"
    assert "bug" in checks[0].says


def test_bunches_under_the_name_of_uniform_are_told() -> None:
    """Poisson arrivals are no even spacing."""
    intended_ns = schedule("poisson", 1000.0)
    checks = dispersion_checks(intended_ns, intended_ns, HOLD, "uniform")
    assert {check.verdict for check in checks} == {"invalid"}


def test_few_arrivals_or_windows_are_no_check() -> None:
    """Thirty sends are not a dispersion, nor are three seconds ten windows of one."""
    few_ns = schedule("poisson", 3.0)
    assert dispersion_checks(few_ns, few_ns, HOLD, "poisson") == []
    many_ns = schedule("poisson", 1000.0)
    names = [c.name for c in dispersion_checks(many_ns, many_ns, (0, 3 * NS_PER_S), "poisson")]
    assert names == ["dispersion_10ms", "dispersion_100ms"]


@pytest.mark.parametrize("windows", [10, 100, 1000])
@pytest.mark.parametrize("mean", [0.2, 1.0, 10.0, 1000.0])
def test_false_alarms_are_one_in_a_thousand_at_most(windows: int, mean: float) -> None:
    """Of 4 000 steps that are as they should be; ten windows with the plain band: 3 in 1 000."""
    counts = np.random.default_rng(SEED).poisson(mean, (4000, windows))
    wrong = sum(off(one, "poisson") for one in counts if one.sum() >= 50)
    assert wrong <= 4, f"seed {SEED}: {wrong} of 4000"


def test_twice_the_dispersion_is_found() -> None:
    """In five of six steps of a hundred windows, in nearly all of three hundred."""
    generator = np.random.default_rng(SEED)
    short, long = (2 * generator.poisson(50.0, (200, windows)) for windows in (100, 300))
    assert sum(off(one, "poisson") for one in short) >= 150
    assert sum(off(one, "poisson") for one in long) >= 198
