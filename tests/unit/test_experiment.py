"""Whether a change moved the breaking load."""

import pytest

from breakstep.diagnosis.experiment import shift
from breakstep.model.record import Answer


def knee(low: float, middle: float, high: float) -> Answer:
    """An answer with this knee."""
    return Answer("found", low, high, knee_per_s=middle, knee_interval_per_s=(low, high))


BEFORE = knee(95.0, 100.0, 105.0)


@pytest.mark.parametrize(
    ("after", "raised", "moved"),
    [
        (knee(190.0, 200.0, 210.0), 2.0, "as_predicted"),
        (knee(145.0, 150.0, 155.0), 2.0, "as_predicted"),
        (knee(110.0, 120.0, 130.0), 2.0, "less"),
        (knee(110.0, 120.0, 130.0), None, "up"),
        (knee(100.0, 104.0, 108.0), 2.0, "not"),
        (knee(70.0, 80.0, 90.0), 2.0, "down"),
        (Answer("found", 190.0, 210.0), 2.0, "as_predicted"),
        (Answer("above_ceiling", 400.0, None), 2.0, "up"),
        (Answer("untrusted", None, None), 2.0, "unknown"),
    ],
)
def test_the_true_bottleneck_moves_the_knee_by_half_of_what_was_added(
    after: Answer, raised: float | None, moved: str
) -> None:
    """Outside both intervals, or it did not move."""
    assert shift(BEFORE, after, raised).moved == moved


def test_without_a_knee_before_there_is_nothing_to_compare() -> None:
    """And it says so."""
    found = shift(Answer("above_ceiling", 100.0, None), BEFORE, 2.0)
    assert (found.moved, found.ratio) == ("unknown", None)
    assert found.says.startswith("Nothing to compare with")


def test_the_words_give_both_intervals_and_the_ratio() -> None:
    """A reader can check the judgement."""
    says = shift(BEFORE, knee(190.0, 200.0, 210.0), 2.0).says
    assert "95–105/s" in says
    assert "190–210/s: 2.00 times" in says
