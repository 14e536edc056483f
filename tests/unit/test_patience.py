"""How long the workers are waited for."""

import pytest

from breakstep.engine.patience import SAFETY_NS, STARVED_NS, Patience
from breakstep.model.errors import EngineError

OVER_NS = 10 * SAFETY_NS


def test_a_worker_that_is_late_is_waited_for() -> None:
    """However late, as long as its own time moves."""
    patience, now_ns = Patience(), OVER_NS
    for past_ns in range(0, OVER_NS + SAFETY_NS, SAFETY_NS // 5):
        patience.wait(past_ns, OVER_NS, now_ns)
        now_ns += STARVED_NS // 2
    assert now_ns > OVER_NS + 20 * STARVED_NS


def test_a_worker_that_stands_still_is_given_up() -> None:
    """With what to do: it gets no CPU."""
    patience = Patience()
    patience.wait(7, OVER_NS, OVER_NS)
    with pytest.raises(EngineError, match="no CPU"):
        patience.wait(7, OVER_NS, OVER_NS + STARVED_NS + 1)


def test_arrivals_that_never_end_are_a_fault_of_ours() -> None:
    """The workers are long past the timeout, and something is still open."""
    with pytest.raises(EngineError, match="a bug in breakstep"):
        Patience().wait(OVER_NS + SAFETY_NS + 1, OVER_NS, OVER_NS)
