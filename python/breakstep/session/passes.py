"""The runs of a search: light loads before them, as many as asked for, an experiment after them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from breakstep._engine import Engine
from breakstep.engine.contact import Contact
from breakstep.model.errors import BreakstepError
from breakstep.model.plan import Plan
from breakstep.model.record import Answer, RunRecord
from breakstep.search import standard_answer
from breakstep.search.answer import Terms, answer, run_record
from breakstep.search.choice import controller_for
from breakstep.search.controller import Controller, Done, StepShape, step_seed
from breakstep.search.light import Light
from breakstep.search.standard import Standard
from breakstep.session.around import Around
from breakstep.session.between import between_runs
from breakstep.session.contact import first_rate_per_s
from breakstep.session.foresight import Foresight, foresee
from breakstep.session.guard import HostGuard
from breakstep.session.loop import INTERRUPTED, Loop
from breakstep.session.signals import SignalBook
from breakstep.store.writer import RunWriter

RUNS_FROM = 1_000_000
"""Beyond the numbers of steps, so that no run has the seed of a step."""
LIGHT = 0
"""The number of the light loads, which the first run does not use."""


@dataclass(frozen=True, slots=True)
class Pass:
    """One run of the whole."""

    loop: Loop
    done: Done
    seed: int

    def record(self) -> RunRecord:
        """As it is stored."""
        controller, history = self.loop.controller, self.loop.history
        if isinstance(controller, Standard):
            return standard_answer.run_record(controller, history, self.done, self.seed)
        return run_record(history, self.done, self.seed)

    def answer(self, terms: Terms) -> Answer:
        """Of this run alone."""
        controller, history = self.loop.controller, self.loop.history
        if isinstance(controller, Standard):
            found = standard_answer.answer(controller, history, self.done, terms)
        else:
            found = answer(history, self.done, terms)
        return replace(found, caveats=(*found.caveats, *self.loop.notes))


@dataclass(frozen=True, slots=True)
class Passes:
    """The runs that were made, and what ended them too early."""

    done: Sequence[Pass]
    foresight: Foresight | None
    failure: BreakstepError | None = None
    after: Pass | None = None
    """The run after the change of an experiment."""

    def sections(self) -> Mapping[str, Any]:
        """What they add to the result."""
        return {} if self.foresight is None else {"prediction": self.foresight.section}


@dataclass(frozen=True, slots=True)
class Bench:
    """What all runs share."""

    plan: Plan
    around: Around
    engine: Engine
    writer: RunWriter | None
    guard: HostGuard
    book: SignalBook

    def passes(self, contact: Contact) -> Passes:
        """As many runs as the plan asks for, fewer if interrupted; light loads before them."""
        if self.plan.servers is None or contact.median_ns is None:
            return self._experimented(self._runs(self.plan, contact, None))
        plan = replace(self.plan, seed=_seed_of(self.plan, LIGHT))
        light = self._pass(
            plan, 0, contact, Light(self.plan.servers, contact.median_ns, StepShape.of(plan))
        )
        foresight = foresee(self.plan, light.loop.light)
        self.around.say(foresight.says)
        if self.plan.predict_only or light.done.stop_reason != "ceiling":
            return Passes([light], foresight)
        return self._experimented(self._runs(foresight.start_of(self.plan), contact, foresight))

    def _runs(self, plan: Plan, contact: Contact, foresight: Foresight | None) -> Passes:
        passes: list[Pass] = [self._run(plan, 0, contact)]
        for number in range(1, plan.repeat):
            if self.around.stopping():
                break
            self.around.say(f"run {number + 1} of {plan.repeat}")
            try:
                contact = between_runs(plan.between, self.engine, self.around.stopping)
                passes.append(self._run(plan, number, contact))
            except BreakstepError as error:
                passes[-1].loop.notes.append(f"Run {number + 1} of {plan.repeat} failed: {error}.")
                return Passes(passes, foresight, error)
        return Passes(passes, foresight)

    def _experimented(self, passes: Passes) -> Passes:
        """With one more run after the change that the user wants to try."""
        experiment = self.plan.experiment
        if experiment is None or passes.failure is not None or self.around.stopping():
            return passes
        self.around.say("experiment: the service is changed, and searched again")
        try:
            contact = between_runs(
                experiment.command, self.engine, self.around.stopping, "--experiment"
            )
            after = self._run(self.plan, self.plan.repeat, contact)
        except BreakstepError as error:
            return replace(passes, failure=error)
        return replace(passes, after=after)

    def _run(self, plan: Plan, number: int, contact: Contact) -> Pass:
        once = plan if number == 0 else replace(plan, seed=_seed_of(plan, number))
        return self._pass(once, number, contact, controller_for(once, first_rate_per_s(contact)))

    def _pass(self, plan: Plan, number: int, contact: Contact, controller: Controller) -> Pass:
        loop = Loop(
            plan=plan,
            engine=self.engine,
            controller=controller,
            progress=self.around.progress,
            stopping=self.around.stopping,
            writer=self.writer,
            guard=self.guard,
            book=self.book,
            unloaded_ns=contact.median_ns,
            number=number,
        )
        done = INTERRUPTED if self.around.stopping() else loop.run()
        return Pass(loop, done, plan.seed)


def _seed_of(plan: Plan, run: int) -> int:
    """A seed for each run that is none of a step's."""
    return step_seed(plan.seed, RUNS_FROM + run)
