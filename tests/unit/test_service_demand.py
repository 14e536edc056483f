"""What a request asks of a resource, by regression."""

import numpy as np
import pytest

from breakstep.analysis.service_demand import Demand, service_demand

LOADS = [40.0, 80.0, 120.0, 160.0, 180.0]


def _of(use: list[float], limit: float = 1.0) -> Demand:
    found = service_demand(LOADS, use, limit)
    assert found is not None
    return found


def test_the_background_is_no_part_of_the_demand() -> None:
    """5 ms a request beside a fifth of a core that is always used: full at 160/s, not at 200/s."""
    found = _of([0.2 + 0.005 * load for load in LOADS])
    assert found.per_request == pytest.approx(0.005)
    assert found.background == pytest.approx(0.2)
    assert found.saturates_per_s == pytest.approx(160.0)
    assert not found.bends


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    """95 % of the intervals hold the load that fills the resource; 400 noisy regressions."""
    random = np.random.default_rng(11)
    covered = 0
    for _ in range(400):
        use = 0.05 + 0.005 * np.array(LOADS) + 0.02 * random.standard_normal(len(LOADS))
        low, high = _of(list(use)).interval_per_s
        covered += low <= 190.0 <= high
    assert 0.92 <= covered / 400 <= 0.98


def test_a_steeper_end_is_contention() -> None:
    """A square term well beyond chance is said."""
    assert _of([0.001 * load + 2e-5 * load**2 for load in LOADS]).bends


def test_fewer_than_four_loads_are_no_regression() -> None:
    """Three points leave a line no chance to be wrong; repeated loads are one."""
    assert service_demand([1.0, 2.0, 3.0], [0.1, 0.2, 0.3], 1.0) is None
    assert service_demand([1.0, 1.0, 2.0, 3.0], [0.1, 0.1, 0.2, 0.3], 1.0) is None


@pytest.mark.parametrize(
    "use", [[0.5] * 5, [0.5, 0.4, 0.3, 0.2, 0.1], [0.1, 0.9, 0.2, 0.8, 0.3]], ids=str
)
def test_a_use_that_does_not_follow_the_load_has_no_demand(use: list[float]) -> None:
    """Flat, falling or wild: no slope beyond chance."""
    assert service_demand(LOADS, use, 1.0) is None


def test_a_forecast_meets_loads_that_its_interval_reaches() -> None:
    """Also when only one end does."""
    found = _of([0.005 * load + 0.001 * (-1) ** k for k, load in enumerate(LOADS)])
    low, high = found.interval_per_s
    assert found.meets(high, 2 * high)
    assert found.meets(0.0, low)
    assert not found.meets(1.01 * high, 2 * high)
