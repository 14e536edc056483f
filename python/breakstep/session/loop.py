"""The one loop of the program: step, measurement, verdict, next step."""

from collections.abc import Callable
from dataclasses import dataclass, field

from breakstep._engine import Engine
from breakstep.analysis.rows import Rows
from breakstep.engine.contact import settle
from breakstep.engine.ledger import Second
from breakstep.engine.step_runner import StepRunner, Watch
from breakstep.model.plan import Plan, Step
from breakstep.model.record import StepRecord
from breakstep.model.units import format_rate
from breakstep.report.progress import Progress, heading, step_text
from breakstep.search.controller import Controller, Done
from breakstep.session.books import keep
from breakstep.session.guard import HostGuard
from breakstep.session.live import Onlooker
from breakstep.session.record import Judge
from breakstep.session.signals import SignalBook
from breakstep.store.writer import RunWriter

INTERRUPTED = Done("interrupted", "it was interrupted")


@dataclass(slots=True)
class Loop:
    """Runs the controller's steps on the engine. `plan` has the SLOs that are judged.

    `unloaded_ns` is the target's response time without load, None if it never answered ok.
    """

    plan: Plan
    engine: Engine
    controller: Controller
    progress: Progress
    stopping: Callable[[], bool]
    writer: RunWriter | None
    guard: HostGuard
    book: SignalBook
    unloaded_ns: int | None
    number: int = 0
    """Of the run, when the search is repeated."""
    light: list[Rows] = field(default_factory=list)
    """The arrivals of light loads, for a prediction."""
    history: list[StepRecord] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _epoch_wall_ns: int = field(init=False)

    def __post_init__(self) -> None:
        # Read now: the last seconds of an interrupted step are kept when the engine has stopped.
        self._epoch_wall_ns = self.engine.epoch_wall_ns

    def run(self) -> Done:
        """Steps until the controller has seen enough; `history` and `notes` say what was seen."""
        plan = self.plan
        runner = StepRunner(self.engine, plan)
        judge = Judge(plan, self._epoch_wall_ns, light=self.light)
        with self.progress:
            while not self.stopping():
                step = self.controller.next_step(self.history)
                if isinstance(step, Done):
                    return step
                self._settle()
                self.guard.between()
                self._step(step, runner, judge)
        return INTERRUPTED

    def _step(self, step: Step, runner: StepRunner, judge: Judge) -> None:
        self.progress.started(heading(step))
        onlooker = Onlooker(self.plan, step, self.progress, self.guard)
        watch = Watch(
            second=lambda second: self._keep(second, step),
            look=onlooker.look,
            stopping=self.stopping,
            decided=judge.decided,
            settle_ns=max((slo.bound_ns for slo in self.plan.slos), default=0),
        )
        measured = runner.run(step, watch)
        host = self.guard.hold_ended()
        if measured.interrupted and measured.tally.arrivals == 0:
            return
        before = self.history[-1] if self.history else None
        record = judge.record(measured, host if onlooker.saw_hold else None, before)
        self.history.append(record)
        self.progress.finished(step_text(record))

    def _keep(self, second: Second, step: Step) -> None:
        keep(self.writer, self._epoch_wall_ns, second, step.index, self.number)
        self.book.keep(self.writer)

    def _settle(self) -> None:
        """After a failed load the target may be busy with what nobody waits for any more."""
        failed = self.history and self.history[-1].verdict.name == "fail"
        if not failed or self.unloaded_ns is None:
            return
        if not settle(self.engine, self.unloaded_ns, self.stopping) and not self.stopping():
            rate = format_rate(self.history[-1].offered_per_s)
            self.notes.append(
                f"After the load of {rate}/s the target stayed slow for ten seconds without load; "
                "later steps may have met a service that had not recovered."
            )
