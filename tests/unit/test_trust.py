"""The self-check of the generator."""

import pytest
from fakes import FakeHistogram, record

from breakstep.analysis.trust import GeneratorFacts, apply_trust, check_step, run_trust
from breakstep.model.record import Generator, Trust, Verdict
from breakstep.model.slo import parse_slo
from breakstep.model.units import NS_PER_MS

P95 = parse_slo("p95<200ms")


def facts(
    busiest: float = 0.3,
    lag_ms: float = 0.1,
    arrivals: int = 1000,
    due: int | None = None,
    *,
    spinning: bool = False,
) -> GeneratorFacts:
    """A generator with these shares and one lag for all requests."""
    lag = FakeHistogram([round(lag_ms * NS_PER_MS)] * 10)
    return GeneratorFacts(Generator(busiest, busiest, 0.0), lag, arrivals, due, spinning)


@pytest.mark.parametrize(
    ("busiest", "expected"), [(0.5, "trusted"), (0.81, "noisy"), (0.96, "invalid")]
)
def test_a_busy_generator_thread_is_told(busiest: float, expected: str) -> None:
    """Above 80 % of a core it is a warning, above 95 % the step is worth nothing."""
    assert check_step(facts(busiest), [P95]).verdict == expected


def test_a_breach_names_the_remedy() -> None:
    """The sentence says what was measured and what to do."""
    check = check_step(facts(0.97), [P95]).checks[0]
    assert check.says == (
        "the busiest generator thread used 97 % of a core: give it more --workers, or run the "
        "generator on a machine of its own"
    )


def test_a_spinning_generator_may_use_its_core() -> None:
    """Spinning burns the core on purpose, so its share says nothing."""
    assert check_step(facts(1.0, spinning=True), [P95]).verdict == "trusted"


@pytest.mark.parametrize(
    ("slo", "lag_ms", "expected"),
    [
        ("p95<200ms", 19.0, "trusted"),
        ("p95<200ms", 21.0, "invalid"),
        ("p95<5ms", 0.9, "trusted"),
        ("p95<5ms", 1.1, "invalid"),
        ("errors<1%", 1.1, "invalid"),
    ],
)
def test_lag_is_measured_against_the_bound(slo: str, lag_ms: float, expected: str) -> None:
    """A tenth of the tightest bound, and never less than a millisecond, is allowed."""
    assert check_step(facts(lag_ms=lag_ms), [parse_slo(slo)]).verdict == expected


def test_a_long_tail_of_lag_is_noise() -> None:
    """A late hundredth is a warning only: the median still holds."""
    lag = FakeHistogram([100_000] * 97 + [30 * NS_PER_MS] * 3)
    trust = check_step(GeneratorFacts(Generator(0.3, 0.3, 0.0), lag, 100), [P95])
    assert trust.verdict == "noisy"


def test_no_requests_have_no_lag_to_check() -> None:
    """A step in which nothing was sent is not blamed on the generator's lag."""
    nothing = GeneratorFacts(Generator(0.1, 0.1, 0.0), FakeHistogram(), 0)
    names = [check.name for check in check_step(nothing, [P95]).checks]
    assert names == ["generator_cpu", "generator_wait"]


def test_arrivals_left_out_invalidate_the_step() -> None:
    """An arrival that was due and never offered would vanish from every statistic."""
    assert check_step(facts(arrivals=990, due=1000), [P95]).verdict == "invalid"
    assert check_step(facts(arrivals=1000, due=1000), [P95]).verdict == "trusted"


def test_an_untrusted_step_neither_passes_nor_fails() -> None:
    """Invalid replaces the verdict, keeps the criteria and gives the checks as reasons."""
    verdict = apply_trust(Verdict("fail", (), ("p95 was slow",)), check_step(facts(0.99), [P95]))
    assert verdict.name == "invalid"
    assert verdict.reasons[0].startswith("the busiest generator thread used 99 %")


def test_noise_leaves_the_verdict_alone() -> None:
    """A warning is shown beside the verdict, not instead of it."""
    verdict = Verdict("pass")
    assert apply_trust(verdict, Trust("noisy")) is verdict


def test_the_run_is_as_trustworthy_as_its_worst_judged_step() -> None:
    """The worst check over the steps that count is kept, with its load."""
    history = [record(0, 100), record(1, 150, trust="noisy"), record(2, 200)]
    trust = run_trust(history, "broken")
    assert trust.verdict == "noisy"
    assert trust.checks[0].says.startswith("at 150/s the busiest")


def test_a_step_that_was_measured_again_does_not_taint_the_run() -> None:
    """An invalid step counts only when it is what stopped the run."""
    history = [record(0, 100), record(1, 150, "invalid", trust="invalid"), record(2, 150)]
    assert run_trust(history, "ceiling").verdict == "trusted"
    assert run_trust(history, "untrusted").verdict == "invalid"
