"""`find`: from a plan to the breaking point, with everything a run leaves behind."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from breakstep._engine import Engine
from breakstep.analysis.effort import forecast
from breakstep.analysis.trust import run_trust, trust_of
from breakstep.analysis.verdict import tightest_bound_ns
from breakstep.engine.contact import Contact, first_contact
from breakstep.engine.generator import start_engine
from breakstep.engine.reach import reachable_first
from breakstep.model.plan import Plan, Search, Target
from breakstep.model.record import Answer, Result, RunRecord, Trust
from breakstep.model.units import NS_PER_S, format_duration, format_rate
from breakstep.plan import limits
from breakstep.plan.redact import plan_json, redact_url
from breakstep.report.html import render_html
from breakstep.report.progress import Progress
from breakstep.search import standard_answer
from breakstep.search.answer import Terms, answer, run_record
from breakstep.search.choice import controller_for
from breakstep.search.controller import Done
from breakstep.search.standard import Standard
from breakstep.session.contact import check_contact, first_rate_per_s, guess, settled_plan
from breakstep.session.environment import describe
from breakstep.session.guard import HostGuard
from breakstep.session.loop import INTERRUPTED, Loop
from breakstep.store.run_directory import RUNS, RunDirectory, run_id
from breakstep.store.writer import RunWriter


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
    plan = replace(plan, target=_at_its_address(plan.target))
    engine = start_engine(plan, limits.connections_allowed(plan, machine))
    try:
        contact = first_contact(engine, around.stopping)
        if not around.stopping():
            check_contact(plan, contact)
        judged = settled_plan(plan, contact)
        around.say(_opening(judged, contact, assumed=not plan.slos))
        engine.set_good_within(tightest_bound_ns(judged.slos))
        with _writer(around.out, engine) as writer, _guard(judged) as guard:
            loop = _loop(judged, around, engine, contact, writer, guard)
            done = INTERRUPTED if around.stopping() else loop.run()
            terms = Terms(judged.slos, not plan.slos, plan.arrivals)
            result = Result(
                id=around.run,
                command="find",
                plan=plan_json(judged),
                environment=describe(machine, started_at),
                runs=(_run_record(loop, done, plan.seed),),
                answer=_answer(loop, done, terms),
                trust=_trust(loop, done, started_at),
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


def _at_its_address(target: Target) -> Target:
    if len(target.addresses) <= 1:
        return target
    return replace(target, addresses=reachable_first(target.addresses, target.port))


def _writer(
    out: Path | None, engine: Engine
) -> AbstractContextManager[RunWriter] | AbstractContextManager[None]:
    if out is None:
        return nullcontext()
    return RunWriter(RunDirectory.create(out), engine.epoch_wall_ns / NS_PER_S)


def _loop(
    plan: Plan,
    around: Around,
    engine: Engine,
    contact: Contact,
    writer: RunWriter | None,
    guard: HostGuard,
) -> Loop:
    return Loop(
        plan=plan,
        engine=engine,
        controller=controller_for(plan, first_rate_per_s(contact)),
        progress=around.progress,
        stopping=around.stopping,
        writer=writer,
        guard=guard,
        unloaded_ns=contact.median_ns,
    )


def _run_record(loop: Loop, done: Done, seed: int) -> RunRecord:
    if isinstance(loop.controller, Standard):
        return standard_answer.run_record(loop.controller, loop.history, done, seed)
    return run_record(loop.history, done, seed)


def _answer(loop: Loop, done: Done, terms: Terms) -> Answer:
    if isinstance(loop.controller, Standard):
        found = standard_answer.answer(loop.controller, loop.history, done, terms)
    else:
        found = answer(loop.history, done, terms)
    return replace(found, caveats=(*found.caveats, *loop.notes))


def _trust(loop: Loop, done: Done, started_at: datetime) -> Trust:
    watched_ns = round((datetime.now(UTC) - started_at).total_seconds() * NS_PER_S)
    steps = run_trust(loop.history, done.stop_reason)
    return trust_of([*steps.checks, *loop.guard.checks(watched_ns)])


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
    if not isinstance(plan.load, Search):
        return ""
    guessed = guess(plan, contact)
    near = format_rate(guessed.knee_per_s)
    return f"\nsearch {forecast(plan.load, guessed)}, if it breaks near {near}/s"
