"""The statistical search on real sockets, against knees known by formula."""

from functools import partial

import pytest

import breakstep
from acceptance.again import proven
from acceptance.target import target
from breakstep.analysis.theory import knee_rho
from breakstep.model.record import Result

pytestmark = [pytest.mark.sockets, pytest.mark.slow, pytest.mark.timeout(1_500)]
SERVICE_MS = 2.0


@pytest.mark.parametrize(("servers", "over"), [(1, 10.0), (8, 10.0)])
def test_the_knee_of_random_services_is_found_within_a_twentieth(servers: int, over: float) -> None:
    """And its interval covers it. The socket's own time, about 0.1 ms, is part of the service."""
    rho = knee_rho("M/M", servers, 0.95, over)
    assert rho is not None
    truth_per_s = rho * servers * 1_000.0 / SERVICE_MS

    def holds(result: Result) -> None:
        answer = result.answer
        assert answer.knee_per_s == pytest.approx(truth_per_s, rel=0.05)
        assert answer.knee_interval_per_s is not None
        low, high = answer.knee_interval_per_s
        assert low <= truth_per_s <= high

    with target("--servers", str(servers), "--service", f"exponential:{SERVICE_MS:g}ms") as url:
        slo = f"p95<{over * SERVICE_MS:g}ms"
        proven(partial(breakstep.find, url, slo=slo, budget="6m"), holds)
