"""How long the analysis of a run takes."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from breakstep.analysis.effort import SEARCHES
from breakstep.analysis.looks import Hold, judge_at
from breakstep.model.record import Result, Trust
from breakstep.report.html import render_html
from breakstep.search.answer import Terms
from breakstep.search.controller import Done
from breakstep.search.standard_answer import answer, run_record
from breakstep.store.result_json import dumps, read_result
from virtual.cells import CELLS, Searched, search, searcher
from virtual.service import VirtualService

if TYPE_CHECKING:
    from pathlib import Path

    from breakstep.model.plan import Step
    from breakstep.search.standard import Standard

CELL = CELLS[-1]
TERMS = Terms((CELL.slo,), assumed=False, arrivals="poisson")
TRIES = 3


@dataclass
class Remembering(VirtualService):
    """Keeps the arrivals of every look."""

    looks: list[tuple[Step, Hold]] = field(default_factory=list)

    def hold(self, step: Step, until_ns: int) -> Hold:
        """As without memory."""
        hold = super().hold(step, until_ns)
        if step.kind != "canary":
            self.looks.append((step, hold))
        return hold


def test_a_stored_run_is_analysed_within_a_second(tmp_path: Path) -> None:
    """A standard search of two million arrivals: CPU time, the least of three."""
    service = Remembering(CELL.service().parameters, (CELL.slo,))
    controller = searcher(SEARCHES["standard"], 0.09 * CELL.capacity_per_s, seed=1)
    found = search(service, controller)
    assert service.offered > 1_000_000
    (tmp_path / "result.json").write_text(dumps(stored(controller, found)))
    took_s = []
    for _ in range(TRIES):
        before_s = time.process_time()
        analyse(tmp_path, controller, service.looks)
        took_s.append(time.process_time() - before_s)
    assert min(took_s) < 1.0


def analyse(run: Path, controller: Standard, looks: list[tuple[Step, Hold]]) -> None:
    """All that is computed of a run: verdicts, the choice of each load, the answer, the report."""
    result = read_result(run)
    for step, hold in looks:
        judge_at(step, (CELL.slo,), hold)
    chosen = [controller.next_step(result.steps[:count]) for count in range(len(result.steps) + 1)]
    assert isinstance(chosen[-1], Done)
    again = answer(controller, result.steps, chosen[-1], TERMS)
    assert again.knee_interval_per_s == result.answer.knee_interval_per_s
    assert "</html>" in render_html(result)


def stored(controller: Standard, found: Searched) -> Result:
    """The search as `find` would have kept it."""
    return Result(
        id="20260102T030405Z-1a2b3c",
        command="find",
        plan={"slos": [str(CELL.slo)], "target": {"url": "http://127.0.0.1:8080/"}},
        environment={},
        runs=(run_record(controller, found.history, found.done, seed=1),),
        answer=found.answer,
        trust=Trust("trusted"),
    )
