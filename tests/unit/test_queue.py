"""Flow balance."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakstep.analysis.queue import classify


@pytest.mark.parametrize(
    ("start", "end", "completions", "arrivals", "expected"),
    [
        (10, 12, 30_000, 30_000, "stable"),
        (10, 1_510, 28_500, 30_000, "growing"),
        (0, 1_000, 0, 1_000, "growing"),
        (2, 4, 100, 100, "unknown"),
        (0, 0, 0, 0, "unknown"),
        (500, 20, 30_480, 30_000, "stable"),
    ],
)
def test_flow_balance_names_the_queue(
    start: int, end: int, completions: int, arrivals: int, expected: str
) -> None:
    """Growth needs more than chance and more than a hundredth; calm needs enough completions."""
    assert classify(start, end, completions, arrivals) == expected


@given(arrivals=st.integers(1, 10**6), start=st.integers(0, 1000), drained=st.integers(0, 1000))
def test_a_queue_that_does_not_lengthen_never_grows(
    arrivals: int, start: int, drained: int
) -> None:
    """No amount of noise makes a shrinking queue a growing one."""
    end = max(0, start - drained)
    assert classify(start, end, arrivals + start - end, arrivals) != "growing"
