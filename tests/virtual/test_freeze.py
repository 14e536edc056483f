"""One freeze of a second, in any step of a search."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from breakstep.analysis.effort import SEARCHES
from virtual.cells import CELLS, Searched, search, searcher

if TYPE_CHECKING:
    from breakstep.model.plan import Step

CELL = CELLS[4]


def test_a_freeze_in_any_step_leaves_the_answer_where_it_was() -> None:
    """Whichever step it meets, a canary too: the knee stays within 3 %, inside its interval."""
    steps = len(frozen_in(None).history)
    answers = [frozen_in(step) for step in range(steps)]
    assert {found.answer.status for found in answers} == {"found"}
    for found in answers:
        assert found.answer.knee_per_s == pytest.approx(CELL.knee_per_s, rel=0.03)
        assert found.covers(CELL.knee_per_s)
    # It is seen: most steps end otherwise than they would have.
    met = [found.history[step].verdict.name for step, found in enumerate(answers)]
    assert met.count("fail") + met.count("invalid") > steps / 2


def frozen_in(number: int | None) -> Searched:
    """A standard search whose service stands still for a second in this step's hold."""

    def flags(step: Step) -> dict[str, str]:
        return {"stall-once": "1s@2500ms"} if step.index == number else {}

    service = CELL.service()
    service.at = flags
    return search(service, searcher(SEARCHES["standard"], 0.09 * CELL.capacity_per_s, seed=1))
