"""The knee foretold from light load."""

import numpy as np
import pytest

from breakstep.analysis.prediction import Prediction, compare, lone_times_ns, predict
from breakstep.model.slo import parse_slo

P99 = parse_slo("p99<10ms")


@pytest.mark.parametrize(("servers", "rho"), [(1, 0.7735), (8, 0.9689)])
def test_constant_services_foretell_the_knee(servers: int, rho: float) -> None:
    """M/D/c from its service time alone, within 3 % and inside the interval."""
    found = predict(np.full(1_000, 1e6), P99, servers)
    assert isinstance(found, Prediction)
    assert found.knee_per_s == pytest.approx(rho * servers * 1_000.0, rel=0.03)
    assert found.interval_per_s[0] <= rho * servers * 1_000.0 <= found.interval_per_s[1]


def test_too_few_lone_arrivals_foretell_nothing() -> None:
    """It says how many there were and what to do."""
    says = predict(np.full(999, 1e6), P99, 1)
    assert isinstance(says, str)
    assert says.startswith("999 arrivals met an empty service, and a prediction takes 1 000")


def test_a_service_slower_than_its_bound_has_no_knee() -> None:
    """Without any queue."""
    assert predict(np.full(1_000, 11e6), P99, 1) == (
        "p99<10ms is missed without any queue: no load is light enough"
    )


def test_nothing_measured_gives_no_times() -> None:
    """An empty sample, not an error."""
    assert len(lone_times_ns([])) == 0


@pytest.mark.parametrize(
    ("measured", "says"),
    [(95.0, "Explained by queueing"), (60.0, "Breaks 40 % earlier"), (150.0, "Holds 50 % more")],
)
def test_the_comparison_says_what_to_look_for(measured: float, says: str) -> None:
    """Within 10 % it is the queue."""
    foretold = Prediction("p99<10ms", 8, 100.0, (95.0, 105.0), 2_000)
    assert compare(foretold, measured).startswith(says)
    assert "8 servers" in compare(foretold, measured)
