"""`find`: from a plan to the breaking point, with everything a run leaves behind."""

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from breakstep._engine import Engine
from breakstep.analysis.effort import forecast
from breakstep.analysis.trust import run_trust, trust_of
from breakstep.analysis.verdict import tightest_bound_ns
from breakstep.engine.contact import Contact, first_contact
from breakstep.engine.generator import start_engine
from breakstep.engine.reach import at_its_address
from breakstep.model.plan import Plan, Search
from breakstep.model.record import Answer, Result, RunRecord, Trust
from breakstep.model.units import NS_PER_S, format_duration, format_rate
from breakstep.plan import limits
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
    """Finds the breaking point. Raises PlanError, TargetError, EngineError or StoreError."""
    started_at, machine = datetime.now(UTC), limits.read_machine()
    for warning in limits.warnings(plan, machine):
        around.say(f"warning: {warning}")
    plan = at_its_address(plan)
    engine = start_engine(plan, limits.connections_allowed(plan, machine))
    try:
        contact = first_contact(engine, around.stopping)
        if not around.stopping():
            check_contact(plan, contact)
        judged = settled_plan(plan, contact)
        around.say(_opening(judged, contact, assumed=not plan.slos))
        for text in out_of_reach(judged, contact):
            around.say(f"warning: {text}")
        engine.set_good_within(tightest_bound_ns(judged.slos))
        with open_writer(around.out, engine) as writer, _guard(judged) as guard:
            bench = _Bench(judged, around, engine, writer, guard)
            passes, foresight = bench.passes(contact)
            terms = Terms(judged.slos, not plan.slos, plan.arrivals)
            trust = _trust(passes, guard, started_at)
            found = together([_answer(one, terms) for one in passes])
            result = Result(
                id=around.run,
                command="find",
                plan=plan_json(judged),
                environment=describe(machine, started_at),
                runs=tuple(_run_record(one) for one in passes),
                answer=_withheld(_with(foresight, found), trust),
                trust=trust,
                sections={} if foresight is None else {"prediction": foresight.section},
            )
            if writer is not None:
                writer.finish(result, render_html(result))
        return result
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
class _Bench:
    """What all runs share."""

    plan: Plan
    around: Around
    engine: Engine
    writer: RunWriter | None
    guard: HostGuard

    def passes(self, contact: Contact) -> tuple[list[_Pass], Foresight | None]:
        """As many runs as the plan asks for, fewer if interrupted; light loads before them."""
        if self.plan.servers is None or contact.median_ns is None:
            return self._runs(self.plan, contact), None
        plan = replace(self.plan, seed=_seed_of(self.plan, LIGHT))
        light = self._pass(
            plan, 0, contact, Light(self.plan.servers, contact.median_ns, StepShape.of(plan))
        )
        foresight = foresee(self.plan, light.loop.light)
        self.around.say(foresight.says)
        if self.plan.predict_only or light.done.stop_reason != "ceiling":
            return [light], foresight
        return self._runs(foresight.start_of(self.plan), contact), foresight

    def _runs(self, plan: Plan, contact: Contact) -> list[_Pass]:
        passes: list[_Pass] = []
        for number in range(plan.repeat):
            if number > 0:
                if self.around.stopping():
                    break
                self.around.say(f"run {number + 1} of {plan.repeat}")
                contact = between_runs(plan.between, self.engine, self.around.stopping)
            once = plan if number == 0 else replace(plan, seed=_seed_of(plan, number))
            controller = controller_for(once, first_rate_per_s(contact))
            passes.append(self._pass(once, number, contact, controller))
        return passes

    def _pass(self, plan: Plan, number: int, contact: Contact, controller: Controller) -> _Pass:
        loop = Loop(
            plan=plan,
            engine=self.engine,
            controller=controller,
            progress=self.around.progress,
            stopping=self.around.stopping,
            writer=self.writer,
            guard=self.guard,
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
