"""`find`: from a plan to the breaking point, with everything a run leaves behind."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime

from breakstep._engine import Engine
from breakstep.analysis.gate import AFTER, gate_ns
from breakstep.analysis.trust import run_trust, trust_of
from breakstep.analysis.verdict import tightest_bound_ns
from breakstep.engine.contact import first_contact
from breakstep.engine.generator import start_engine
from breakstep.engine.reach import at_its_address
from breakstep.model.plan import Plan
from breakstep.model.record import Answer, Result, Trust
from breakstep.model.units import NS_PER_S
from breakstep.plan import limits
from breakstep.plan.limits import Machine
from breakstep.plan.redact import plan_json
from breakstep.report.around_break import around_break
from breakstep.report.html import render_html
from breakstep.search.answer import Terms
from breakstep.search.repeats import together
from breakstep.session.around import Around
from breakstep.session.books import open_writer
from breakstep.session.contact import (
    check_contact,
    load_ns,
    out_of_reach,
    settled_plan,
)
from breakstep.session.effort import effort_section
from breakstep.session.environment import describe
from breakstep.session.experiment import experiment_section
from breakstep.session.explained import explained
from breakstep.session.foresight import Foresight
from breakstep.session.guard import HostGuard
from breakstep.session.opening import opening
from breakstep.session.passes import Bench, Pass
from breakstep.session.signals import sampling, with_signals
from breakstep.store.intervals_csv import read_intervals
from breakstep.store.run_directory import INTERVALS


def find(plan: Plan, around: Around) -> Result:
    """Finds the breaking point.

    Raises PlanError, TargetError, ProbeError, EngineError or StoreError. What was measured before
    a later run failed is written first.
    """
    started_at, machine = datetime.now(UTC), limits.read_machine()
    for warning in limits.warnings(plan, machine):
        around.say(f"warning: {warning}")
    plan = at_its_address(plan)
    with sampling(plan.probes) as book, _engine(plan, machine) as engine, _guard(plan) as guard:
        contact = first_contact(engine, around.stopping)
        if not around.stopping():
            check_contact(plan, contact)
        judged = settled_plan(plan, contact)
        around.say(opening(judged, contact, assumed=not plan.slos))
        for text in out_of_reach(judged, contact):
            around.say(f"warning: {text}")
        engine.set_good_within(tightest_bound_ns(judged.slos))
        gate_for_ns = gate_ns(load_ns(judged, contact))
        for text in guard.gate_before(judged.slos, gate_for_ns, around.stopping):
            around.say(f"warning: this host is not fit: {text}")
        with open_writer(around.out, engine) as writer:
            bench = Bench(judged, around, engine, writer, guard, book)
            passes = bench.passes(contact)
            book.keep(writer)
            guard.gate_after(judged.slos, round(AFTER * gate_for_ns), around.stopping)
            trust = _trust(passes.done, guard, started_at)
            terms = Terms(judged.slos, not plan.slos, plan.arrivals)
            found = together([one.answer(terms) for one in passes.done])
            result = Result(
                id=around.run,
                command="find",
                plan=plan_json(judged),
                environment=describe(machine, started_at),
                runs=tuple(one.record() for one in passes.done),
                answer=_withheld(_with(passes.foresight, found), trust),
                trust=trust,
                sections=passes.sections(),
            )
            section = effort_section(judged, contact, result.runs, result.answer)
            result = replace(result, sections={**result.sections, **section})
            if judged.experiment is not None and passes.after is not None:
                section = experiment_section(judged.experiment, result.answer, passes.after, terms)
                result = replace(result, sections={**result.sections, "experiment": section})
            series, states = book.series(), book.states()
            result = explained(with_signals(result, series, states), series, states)
            if writer is not None:
                rows = read_intervals(writer.directory.path / INTERVALS)
                writer.finish(result, render_html(result, around_break(result, rows, series)))
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


def _trust(passes: Sequence[Pass], guard: HostGuard, started_at: datetime) -> Trust:
    watched_ns = round((datetime.now(UTC) - started_at).total_seconds() * NS_PER_S)
    history = [step for one in passes for step in one.loop.history]
    steps = run_trust(history, passes[-1].done.stop_reason)
    return trust_of([*steps.checks, *guard.checks(watched_ns)])
