"""CPU for a request, from batches of requests one after another."""

import pytest

from breakstep.analysis.cost import Batch, Cost, Costs, cost_of
from breakstep.model.record import Trust
from breakstep.report.cost import cost_section, cost_text


def test_what_the_process_takes_anyway_is_not_the_requests() -> None:
    """5 s of CPU in 10 s of which 1 s had come without requests: 4 s for 1 000 of them."""
    cost = cost_of("app", [Batch(100, 1.0, 0.5)] * 10, idle_cores=0.1)
    assert cost.mean_ms == pytest.approx(4.0)
    assert cost.interval_ms == pytest.approx((4.0, 4.0))
    assert cost.ceiling_per_s == pytest.approx(250.0)


def test_batches_that_differ_widen_the_interval() -> None:
    """2 and 6 ms in turns: t of 95 % with nine degrees of freedom times the standard error."""
    batches = [Batch(100, 1.0, cpu_s) for cpu_s in (0.2, 0.6) * 5]
    low, high = cost_of("app", batches, 0.0).interval_ms or (0.0, 0.0)
    assert (low + high) / 2.0 == pytest.approx(4.0)
    assert (high - low) / 2.0 == pytest.approx(2.2622 * 2.1082 / 10**0.5, rel=1e-3)


def test_two_batches_are_too_few_to_tell() -> None:
    """Nothing is said rather than something wide; a batch without requests is none."""
    cost = cost_of("app", [Batch(10, 1.0, 0.1), Batch(10, 1.0, 0.1), Batch(0, 1.0, 0.0)], 0.0)
    assert cost.mean_ms is None
    assert cost.interval_ms is None
    assert "--seconds" in cost_text(costs(cost))


def test_a_cost_that_may_be_nothing_fills_no_core() -> None:
    """With zero in its interval no ceiling is said in the text."""
    text = cost_text(costs(Cost("app", 0.1, 0.02, (-0.01, 0.05), 10)))
    assert "0.02 ms (-0.01 to 0.05)" in text
    assert "a core is full" not in text


def test_the_section_has_every_source() -> None:
    """For programs, with its interval and its ceiling."""
    section = cost_section(costs(cost_of("app", [Batch(100, 1.0, 0.5)] * 3, 0.0)))
    assert section["cost"]["sources"] == [
        {
            "source": "app",
            "cpu_ms": pytest.approx(5.0),
            "interval_ms": pytest.approx([5.0, 5.0]),
            "idle_cores": 0.0,
            "ceiling_per_s": pytest.approx(200.0),
            "batches": 3,
        }
    ]


def costs(cost: Cost) -> Costs:
    """One source of a URL."""
    return Costs("http://127.0.0.1:1/", 100, 0, 1.5, (cost,), Trust("trusted"), interrupted=False)
