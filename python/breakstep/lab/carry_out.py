"""Carries an experiment out: each run on a stack of its own, then what must have come out."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from breakstep.lab.experiment import Bench, Experiment, Run
from breakstep.lab.home import lab_home
from breakstep.lab.made import Judged, LabResult, Made
from breakstep.lab.place import Cores, Place
from breakstep.plan import limits
from breakstep.session.around import new_run
from breakstep.session.environment import describe

ATTEMPTS = 3
"""Of a run whose truths could not be judged: a disturbed machine costs two of them at most."""


@dataclass(slots=True)
class Supervisor:
    """Puts stacks up below `base`, one at a time, and keeps the files of runs in `out`."""

    experiment: Experiment
    base: Path
    out: Path
    cores: Cores
    say: Callable[[str], None]
    _made: list[Made] = field(default_factory=list)

    def carry_out(self) -> LabResult:
        """Makes every run, and again those whose truths could not be judged."""
        started_at = datetime.now(UTC)
        again = [run.key for run in self.experiment.runs]
        for attempt in range(1, ATTEMPTS + 1):
            self._make(again, attempt)
            judged = self._judged()
            again = _to_repeat(judged)
            if not again:
                break
        return LabResult(
            id=new_run(),
            experiment=self.experiment,
            environment=describe(limits.read_machine(), started_at),
            cores=str(self.cores),
            made=tuple(self._made),
            judged=judged,
        )

    def _make(self, keys: Iterable[str], attempt: int) -> None:
        wanted = set(keys)
        for run in self.experiment.runs:
            if run.key in wanted:
                self._made.append(self._run(run, attempt))

    def _run(self, run: Run, attempt: int) -> Made:
        name = run.key if attempt == 1 else f"{run.key}-{attempt}"
        self.say(f"{self.experiment.name} {name}: putting the stack up")
        bench = Bench(self.out / name, self.cores, lambda line: self.say(f"  {line}"))
        with lab_home(self.experiment.name, self.base) as home:
            began = time.monotonic()
            with run.stack(Place(home, self.cores)) as stack:
                measured = run.load(stack, bench)
            seconds = time.monotonic() - began
        return Made(
            run.key, attempt, stack.url, seconds, name, stack.processes, stack.versions, measured
        )

    def _judged(self) -> tuple[Judged, ...]:
        found = {one.key: one.measured for one in self._made}
        return tuple(Judged(truth, truth.judge(found)) for truth in self.experiment.truths)


def _to_repeat(judged: Iterable[Judged]) -> list[str]:
    return [key for one in judged if one.held.ok is None for key in one.truth.keys]
