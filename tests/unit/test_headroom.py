"""Whether the generator could have offered more."""

from dataclasses import replace

import pytest
from fakes import record
from plans import URL, plan_of

from breakstep.analysis.headroom import headroom_by_cpu, headroom_by_cpu_check, headroom_check
from breakstep.model.record import Generator, RunRecord, StepRecord
from breakstep.model.units import NS_PER_MS
from breakstep.plan.flags import Flags
from breakstep.session.headroom import headroom_checks


def busy(rate_per_s: float, share: float) -> StepRecord:
    """A step whose busiest generator thread used this share of a core."""
    return replace(record(0, rate_per_s), generator=Generator(share, share, 0.0))


def test_the_cpu_of_the_highest_loads_tells_what_it_allows() -> None:
    """At 1 000/s a fifth of a core: 4.75 times that; a light load's overhead is not asked."""
    steps = [busy(50.0, 0.10), busy(900.0, 0.18), busy(1_000.0, 0.20)]
    times = headroom_by_cpu(steps, 1_000.0)
    assert times == pytest.approx(4.75)
    assert headroom_by_cpu([busy(50.0, 0.10)], 1_000.0) is None


@pytest.mark.parametrize(("times", "verdict"), [(4.75, "trusted"), (1.2, "noisy")])
def test_a_generator_near_its_own_end_is_a_warning(times: float, verdict: str) -> None:
    """The answer is then to be read as 'at least'."""
    check = headroom_by_cpu_check(times)
    assert check.verdict == verdict
    assert ("at least" in check.says) == (verdict == "noisy")


@pytest.mark.parametrize(
    ("answered", "p99_ms", "verdict"),
    [(1.0, 2.0, "trusted"), (0.998, 2.0, "noisy"), (1.0, 6.0, "noisy")],
)
def test_beyond_the_breaking_load_a_server_that_does_nothing_must_be_quick(
    answered: float, p99_ms: float, verdict: str
) -> None:
    """Within a tenth of the bound, nearly all of it answered."""
    bound_ns = 50 * NS_PER_MS
    check = headroom_check(1_300.0, answered, round(p99_ms * NS_PER_MS), bound_ns)
    assert check.verdict == verdict
    assert "of 1 300/s were answered" in check.says


def run(*steps: StepRecord, broken_per_s: float | None = 1_000.0) -> RunRecord:
    """One that broke there."""
    return RunRecord(1, "broken", "", None, broken_per_s, steps)


def test_a_generator_that_is_hardly_busy_is_not_tried() -> None:
    """Its CPU says enough; where nothing broke there is nothing to ask."""
    plan = plan_of(Flags(URL))
    idle = run(busy(1_000.0, 0.20))
    (check,) = headroom_checks(plan, [idle], lambda: False)
    assert check.says.startswith("by its CPU")
    assert headroom_checks(plan, [run(busy(1_000.0, 0.2), broken_per_s=None)], lambda: False) == []
    assert headroom_checks(plan, [idle], lambda: True) == []


def test_with_tls_the_cpu_alone_is_asked() -> None:
    """The server that does nothing does not speak it."""
    plan = plan_of(Flags("https://127.0.0.1:8080/"))
    (check,) = headroom_checks(plan, [run(busy(1_000.0, 0.80))], lambda: False)
    assert check.verdict == "noisy"
    assert check.says.startswith("by its CPU")
