"""The error rates of verdict and search on queues whose breaking load is known.

Every run is seeded; the tolerances are binomial: with the stated rate, more misses than allowed
would come in less than one of a thousand choices of the seeds.
"""

from __future__ import annotations

from collections import Counter

import pytest

from breakstep.analysis.effort import SEARCHES
from breakstep.model.units import NS_PER_S
from virtual.cells import CELLS, Cell, search_cell, search_foretold, step_at, verdicts

STANDARD = SEARCHES["standard"]
SHOWN = (Cell("M/M", 1, 10, 0.99), Cell("M/D", 8, 5, 0.99), Cell("M/M", 8, 5, 0.95))


@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_a_search_finds_the_knee(cell: Cell) -> None:
    """Within 3 % and inside the interval: two searches of each cell, one of them may miss."""
    found = [search_cell(cell, STANDARD, seed) for seed in (11, 12)]
    assert all(run.done.stop_reason == "broken" for run in found)
    hits = [abs(run.error(cell.knee_per_s)) <= 0.03 for run in found]
    assert any(hits), [run.error(cell.knee_per_s) for run in found]
    assert any(run.covers(cell.knee_per_s) for run in found)


@pytest.mark.parametrize("cell", SHOWN, ids=str)
def test_a_load_above_the_knee_does_not_pass(cell: Cell) -> None:
    """3 % above it at most 3 % of steps pass: of 30 no more than 5."""
    assert verdicts(cell, 1.03, STANDARD, 30)["pass"] <= 5


@pytest.mark.parametrize("cell", SHOWN, ids=str)
def test_a_load_below_the_knee_does_not_fail(cell: Cell) -> None:
    """5 % below it at most 3 % of steps fail: of 20 no more than 4."""
    assert verdicts(cell, 0.95, STANDARD, 20)["fail"] <= 4


def test_a_stable_queue_is_not_called_growing() -> None:
    """At ρ = 0.95 fifty short steps give at most one `growing`."""
    service = Cell("M/M", 1, 100, 0.99).service
    steps = (step_at(950.0, (5_000 * NS_PER_S // 950,), seed) for seed in range(50))
    assert Counter(service().run(step).queue for step in steps)["growing"] <= 1


def test_quick_gives_an_honest_bracket() -> None:
    """What held and what broke lie on both sides of the knee, for 60 000 requests at most."""
    cell = Cell("M/D", 1, 10, 0.95)
    found = [search_cell(cell, SEARCHES["quick"], seed) for seed in range(20)]
    ranges = [run.answer.range_per_s or (0.0, 0.0) for run in found]
    assert sum(low <= cell.knee_per_s <= high for low, high in ranges) >= 17
    assert sum(run.offered for run in found) <= 20 * 60_000


def test_a_prediction_saves_a_quarter_of_the_requests() -> None:
    """At the width that is aimed at, with the knee inside; the light loads are counted too."""
    cell, plain, foretold = Cell("M/D", 1, 10, 0.95), [], []
    for seed in range(3):
        plain.append(search_cell(cell, STANDARD, seed))
        foretold.append(search_foretold(cell, STANDARD, seed))
    spent = [sum(run.offered for run in runs) for runs in (plain, foretold)]
    assert spent[1] <= 0.75 * spent[0]
    intervals = [run.answer.knee_interval_per_s or (1.0, 9.0) for run in foretold]
    assert all(high <= 1.08 * low for low, high in intervals)
    assert sum(run.covers(cell.knee_per_s) for run in foretold) >= 2
