"""`find`: from a plan to the breaking point, with everything a run leaves behind."""

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from breakstep._engine import Engine
from breakstep.analysis.effort import forecast
from breakstep.analysis.trust import run_trust, trust_of
from breakstep.analysis.verdict import tightest_bound_ns
from breakstep.engine.contact import Contact, first_contact
from breakstep.engine.generator import start_engine
from breakstep.engine.reach import at_its_address
from breakstep.model.errors import BreakstepError
from breakstep.model.plan import Plan, Search
from breakstep.model.record import Answer, Result, RunRecord, Trust
from breakstep.model.units import NS_PER_S, format_duration, format_rate
from breakstep.plan import limits
from breakstep.plan.limits import Machine
from breakstep.plan.redact import plan_json, redact_url
from breakstep.report.html import render_html
from breakstep.report.progress import Progress
from breakstep.search import standard_answer
from breakstep.search.answer import Terms, answer, run_record
from breakstep.search.choice import controller_for
from breakstep.search.controller import Controller, Done, StepShape, step_seed
from breakstep.search.light import Light
from breakstep.search.repeats import together
from breakstep.search.standard import Standard
from breakstep.session.between import between_runs
from breakstep.session.books import open_writer
from breakstep.session.contact import (
    check_contact,
    first_rate_per_s,
    guess,
    out_of_reach,
    settled_plan,
)
from breakstep.session.environment import describe
from breakstep.session.foresight import Foresight, foresee
from breakstep.session.guard import HostGuard
from breakstep.session.loop import INTERRUPTED, Loop
from breakstep.session.signals import SignalBook, sampling, with_signals
from breakstep.store.run_directory import RUNS, run_id
from breakstep.store.writer import RunWriter

RUNS_FROM = 1_000_000
"""Beyond the numbers of steps, so that no run has the seed of a step."""
LIGHT = 0
"""The number of the light loads, which the first run does not use."""


@dataclass(frozen=True, slots=True)
class Around:
    """What a run needs besides its plan.

    `run` is its name, `out` the directory for its files, None for none; `say` shows a line to
    the user, `stopping` says whether the user has had enough.
    """

    run: str
    out: Path | None
    progress: Progress
    say: Callable[[str], None]
    stopping: Callable[[], bool]


def new_run() -> str:
    """A name for a run: sorts by time, does not repeat."""
    return run_id(datetime.now(UTC), secrets.token_hex(3))


def default_out(run: str) -> Path:
    """Where a run's files go when the user names no directory."""
    return Path(RUNS) / run


def find(plan: Plan, around: Around) -> Result:
    """Finds the breaking point.

    Raises PlanError, TargetError, ProbeError, EngineError or StoreError. What was measured before
    a later run failed is written first.
    """
    started_at, machine = datetime.now(UTC), limits.read_machine()
    for warning in limits.warnings(plan, machine):
        around.say(f"warning: {warning}")
    plan = at_its_address(plan)
    with sampling(plan.probes) as book, _engine(plan, machine) as engine:
        contact = first_contact(engine, around.stopping)
        if not around.stopping():
            check_contact(plan, contact)
        judged = settled_plan(plan, contact)
        around.say(_opening(judged, contact, assumed=not plan.slos))
        for text in out_of_reach(judged, contact):
            around.say(f"warning: {text}")
        engine.set_good_within(tightest_bound_ns(judged.slos))
        with open_writer(around.out, engine) as writer, _guard(judged) as guard:
            bench = _Bench(judged, around, engine, writer, guard, book)
            passes = bench.passes(contact)
            book.keep(writer)
            trust = _trust(passes.done, guard, started_at)
            terms = Terms(judged.slos, not plan.slos, plan.arrivals)
            found = together([_answer(one, terms) for one in passes.done])
            result = Result(
                id=around.run,
                command="find",
                plan=plan_json(judged),
                environment=describe(machine, started_at),
                runs=tuple(_run_record(one) for one in passes.done),
                answer=_withheld(_with(passes.foresight, found), trust),
                trust=trust,
                sections=passes.sections(),
            )
            result = with_signals(result, book)
            if writer is not None:
                writer.finish(result, render_html(result))
        if passes.failure is not None:
            raise passes.failure
        return result


@contextmanager
def _engine(plan: Plan, machine: Machine) -> Iterator[Engine]:
    engine = start_engine(plan, limits.connections_allowed(plan, machine))
    try:
        yield engine
    finally:
        engine.stop()


@contextmanager
def _guard(plan: Plan) -> Iterator[HostGuard]:
    guard = HostGuard.on(plan.pin)
    try:
        yield guard
    finally:
        guard.stop()


@dataclass(frozen=True, slots=True)
class _Pass:
    """One run of the whole."""

    loop: Loop
    done: Done
    seed: int


@dataclass(frozen=True, slots=True)
class _Passes:
    """The runs that were made, and what ended them too early."""

    done: Sequence[_Pass]
    foresight: Foresight | None
    failure: BreakstepError | None = None

    def sections(self) -> Mapping[str, Any]:
        return {} if self.foresight is None else {"prediction": self.foresight.section}


@dataclass(frozen=True, slots=True)
class _Bench:
    """What all runs share."""

    plan: Plan
    around: Around
    engine: Engine
    writer: RunWriter | None
    guard: HostGuard
    book: SignalBook

    def passes(self, contact: Contact) -> _Passes:
        """As many runs as the plan asks for, fewer if interrupted; light loads before them."""
        if self.plan.servers is None or contact.median_ns is None:
            return self._runs(self.plan, contact, None)
        plan = replace(self.plan, seed=_seed_of(self.plan, LIGHT))
        light = self._pass(
            plan, 0, contact, Light(self.plan.servers, contact.median_ns, StepShape.of(plan))
        )
        foresight = foresee(self.plan, light.loop.light)
        self.around.say(foresight.says)
        if self.plan.predict_only or light.done.stop_reason != "ceiling":
            return _Passes([light], foresight)
        return self._runs(foresight.start_of(self.plan), contact, foresight)

    def _runs(self, plan: Plan, contact: Contact, foresight: Foresight | None) -> _Passes:
        passes: list[_Pass] = [self._run(plan, 0, contact)]
        for number in range(1, plan.repeat):
            if self.around.stopping():
                break
            self.around.say(f"run {number + 1} of {plan.repeat}")
            try:
                contact = between_runs(plan.between, self.engine, self.around.stopping)
                passes.append(self._run(plan, number, contact))
            except BreakstepError as error:
                passes[-1].loop.notes.append(f"Run {number + 1} of {plan.repeat} failed: {error}.")
                return _Passes(passes, foresight, error)
        return _Passes(passes, foresight)

    def _run(self, plan: Plan, number: int, contact: Contact) -> _Pass:
        once = plan if number == 0 else replace(plan, seed=_seed_of(plan, number))
        return self._pass(once, number, contact, controller_for(once, first_rate_per_s(contact)))

    def _pass(self, plan: Plan, number: int, contact: Contact, controller: Controller) -> _Pass:
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
        return _Pass(loop, done, plan.seed)


def _seed_of(plan: Plan, run: int) -> int:
    """A seed for each run that is none of a step's."""
    return step_seed(plan.seed, RUNS_FROM + run)


def _with(foresight: Foresight | None, found: Answer) -> Answer:
    if foresight is None:
        return found
    says = (foresight.says, *foresight.held_against(found))
    return replace(found, caveats=(*found.caveats, *says))


def _withheld(found: Answer, trust: Trust) -> Answer:
    """No number on a host that fails a check of the whole run."""
    if trust.verdict != "invalid" or found.status == "untrusted":
        return found
    causes = [f"Withheld: {check.says}." for check in trust.checks if check.verdict == "invalid"]
    return Answer("untrusted", None, None, caveats=(*found.caveats, *causes))


def _run_record(one: _Pass) -> RunRecord:
    if isinstance(one.loop.controller, Standard):
        controller = one.loop.controller
        return standard_answer.run_record(controller, one.loop.history, one.done, one.seed)
    return run_record(one.loop.history, one.done, one.seed)


def _answer(one: _Pass, terms: Terms) -> Answer:
    loop = one.loop
    if isinstance(loop.controller, Standard):
        found = standard_answer.answer(loop.controller, loop.history, one.done, terms)
    else:
        found = answer(loop.history, one.done, terms)
    return replace(found, caveats=(*found.caveats, *loop.notes))


def _trust(passes: Sequence[_Pass], guard: HostGuard, started_at: datetime) -> Trust:
    watched_ns = round((datetime.now(UTC) - started_at).total_seconds() * NS_PER_S)
    history = [step for one in passes for step in one.loop.history]
    steps = run_trust(history, passes[-1].done.stop_reason)
    return trust_of([*steps.checks, *guard.checks(watched_ns)])


def _opening(plan: Plan, contact: Contact, *, assumed: bool) -> str:
    target = plan.target
    where = target.unix_socket or ", ".join(target.addresses[:1])
    more = f" (of {len(target.addresses)})" if len(target.addresses) > 1 else ""
    fast = "" if contact.median_ns is None else f", {format_duration(contact.median_ns)} unloaded"
    slos = ", ".join(str(slo) for slo in plan.slos)
    note = " (assumed: name your own with --slo)" if assumed else ""
    return (
        f"target {plan.scenario.method} {redact_url(target.url)} at {where}{more}{fast}\n"
        f"SLO    {slos}{note}{_outlook(plan, contact)}"
    )


def _outlook(plan: Plan, contact: Contact) -> str:
    """What the search will take, said before any load."""
    if plan.predict_only or not isinstance(plan.load, Search):
        return ""
    guessed = guess(plan, contact)
    near = format_rate(guessed.knee_per_s)
    return f"\nsearch {forecast(plan.load, guessed)}, if it breaks near {near}/s"
