"""The statistical search on real sockets, against knees known by formula."""

from functools import partial

import pytest

import breakstep
from acceptance.again import proven
from acceptance.target import target
from breakstep.analysis.theory import knee_rho
from breakstep.model.record import Result

pytestmark = [pytest.mark.sockets, pytest.mark.slow, pytest.mark.timeout(1_500)]
OVER = 10.0
"""The bound, in mean services."""


@pytest.mark.parametrize(("servers", "service_ms"), [(1, 1.0), (8, 2.0)])
def test_the_knee_of_random_services_is_found_within_a_twentieth(
    servers: int, service_ms: float
) -> None:
    """And its interval covers it. The socket's own time, about 0.1 ms, is part of the service."""
    rho = knee_rho("M/M", servers, 0.95, OVER)
    assert rho is not None
    truth_per_s = rho * servers * 1_000.0 / service_ms

    def holds(result: Result) -> None:
        answer = result.answer
        assert answer.knee_per_s == pytest.approx(truth_per_s, rel=0.05)
        assert answer.knee_interval_per_s is not None
        low, high = answer.knee_interval_per_s
        assert low <= truth_per_s <= high

    with target("--servers", str(servers), "--service", f"exponential:{service_ms:g}ms") as url:
        slo = f"p95<{OVER * service_ms:g}ms"
        proven(partial(breakstep.find, url, slo=slo, budget="6m"), holds)
