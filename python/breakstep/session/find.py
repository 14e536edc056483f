"""`find`: from a plan to the breaking point, with everything a run leaves behind."""

import secrets
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from breakstep._engine import Engine
from breakstep.analysis.trust import run_trust
from breakstep.analysis.verdict import tightest_bound_ns
from breakstep.engine.contact import Contact, first_contact
from breakstep.engine.generator import start_engine
from breakstep.engine.reach import reachable_first
from breakstep.model.plan import Plan, Target
from breakstep.model.record import Answer, Result
from breakstep.model.units import NS_PER_S, format_duration
from breakstep.plan import limits
from breakstep.plan.redact import plan_json, redact_url
from breakstep.report.html import render_html
from breakstep.report.progress import Progress
from breakstep.search.answer import Terms, answer, run_record
from breakstep.search.choice import controller_for
from breakstep.search.controller import Done
from breakstep.session.contact import assumed_slos, check_contact, first_rate_per_s
from breakstep.session.environment import describe
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
        judged = replace(plan, slos=plan.slos or assumed_slos(contact))
        around.say(_opening(judged, contact, assumed=not plan.slos))
        engine.set_good_within(tightest_bound_ns(judged.slos))
        with _writer(around.out, engine) as writer:
            loop = _loop(judged, around, engine, contact, writer)
            done = INTERRUPTED if around.stopping() else loop.run()
            result = Result(
                id=around.run,
                command="find",
                plan=plan_json(judged),
                environment=describe(machine, started_at),
                runs=(run_record(loop.history, done, plan.seed),),
                answer=_answer(loop, done, Terms(judged.slos, not plan.slos, plan.arrivals)),
                trust=run_trust(loop.history, done.stop_reason),
            )
            if writer is not None:
                writer.finish(result, render_html(result))
        return result
    finally:
        engine.stop()


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
    plan: Plan, around: Around, engine: Engine, contact: Contact, writer: RunWriter | None
) -> Loop:
    return Loop(
        plan=plan,
        engine=engine,
        controller=controller_for(plan, first_rate_per_s(contact)),
        progress=around.progress,
        stopping=around.stopping,
        writer=writer,
        unloaded_ns=contact.median_ns,
    )


def _answer(loop: Loop, done: Done, terms: Terms) -> Answer:
    found = answer(loop.history, done, terms)
    return replace(found, caveats=(*found.caveats, *loop.notes))


def _opening(plan: Plan, contact: Contact, *, assumed: bool) -> str:
    target = plan.target
    where = target.unix_socket or ", ".join(target.addresses[:1])
    more = f" (of {len(target.addresses)})" if len(target.addresses) > 1 else ""
    fast = "" if contact.median_ns is None else f", {format_duration(contact.median_ns)} unloaded"
    slos = ", ".join(str(slo) for slo in plan.slos)
    note = " (assumed: name your own with --slo)" if assumed else ""
    return (
        f"target {plan.scenario.method} {redact_url(target.url)} at {where}{more}{fast}\n"
        f"SLO    {slos}{note}"
    )
