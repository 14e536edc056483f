"""`check`: one load held against its SLOs, with everything a run leaves behind."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from breakstep.analysis.longer import longer
from breakstep.analysis.looks import cannot_judge
from breakstep.analysis.trust import run_trust, trust_of
from breakstep.engine.reach import at_its_address
from breakstep.model.check import CheckPlan, Gate
from breakstep.model.errors import PlanError
from breakstep.model.plan import Plan
from breakstep.model.record import Result, Trust, VerdictName
from breakstep.model.units import NS_PER_S
from breakstep.plan import limits
from breakstep.plan.redact import plan_json
from breakstep.report.check_html import render_check_html
from breakstep.search import single
from breakstep.search.answer import Terms, run_record
from breakstep.search.controller import Done, StepShape
from breakstep.session.around import Around
from breakstep.session.books import open_writer
from breakstep.session.detection import detected, named_probes
from breakstep.session.environment import describe
from breakstep.session.explained import explained
from breakstep.session.guard import HostGuard
from breakstep.session.loop import INTERRUPTED, Loop
from breakstep.session.signals import sampling, with_signals
from breakstep.session.stage import engine_for, guard_on, host_watched, reached
from breakstep.store.check_json import SECTION, to_section
from breakstep.store.recorded import read_recorded

QUIETER = "breakstep doctor says what disturbs this machine: use a quieter or a larger one"


def check(plan: CheckPlan, around: Around) -> Result:
    """Offers the load and judges it.

    Raises PlanError, TargetError, ProbeError, EngineError or StoreError.
    """
    _refuse_what_nobody_could_judge(plan)
    started_at, machine = datetime.now(UTC), limits.read_machine()
    base = at_its_address(plan.base)
    for warning in limits.warnings(base, machine):
        around.say(f"warning: {warning}")
    with (
        sampling(named_probes(base)) as book,
        engine_for(base, machine) as engine,
        guard_on(base) as guard,
    ):
        contact, judged = reached(base, engine, around)
        book.desk.add(detected(base, engine, around))
        with open_writer(around.out, engine) as writer:
            controller = single.Single(plan.rate_per_s, plan.looks_ns, StepShape.of(judged))
            loop = Loop(
                plan=judged,
                engine=engine,
                controller=controller,
                progress=around.progress,
                stopping=around.stopping,
                writer=writer,
                guard=guard,
                book=book,
                unloaded_ns=contact.median_ns,
            )
            with host_watched(guard, judged.slos, plan.looks_ns[-1], around):
                done = INTERRUPTED if around.stopping() else loop.run()
            book.keep(writer)
            ended = _Ended(plan, judged, loop, done, guard, started_at)
            series, states = book.series(), book.states()
            result = with_signals(_assembled(ended, around.run, machine), series, states, book.lost)
            result = explained(result, series, states)
            if writer is not None:
                recorded = read_recorded(writer.directory.path)
                writer.finish(result, render_check_html(result, recorded))
    return result


@dataclass(frozen=True, slots=True)
class _Ended:
    plan: CheckPlan
    judged: Plan
    loop: Loop
    done: Done
    guard: HostGuard
    started_at: datetime


def _assembled(ended: _Ended, run: str, machine: limits.Machine) -> Result:
    """The result, but for what the probes saw."""
    history, done, plan = ended.loop.history, ended.done, ended.judged
    trust = _trust(ended)
    terms = Terms(plan.slos, assumed=False, arrivals=plan.arrivals)
    gate = _gate(ended, trust)
    found = single.answer(history, done, terms)
    if gate.verdict == "invalid":
        found = single.untrusted(found)
    return Result(
        id=run,
        command="check",
        plan=_plan_json(ended.plan, plan),
        environment=describe(machine, ended.started_at),
        runs=(run_record(history, done, plan.seed),),
        answer=found,
        trust=trust,
        sections={SECTION: to_section(gate)},
    )


def _trust(ended: _Ended) -> Trust:
    watched_ns = round((datetime.now(UTC) - ended.started_at).total_seconds() * NS_PER_S)
    steps = run_trust(ended.loop.history, ended.done.stop_reason)
    return trust_of([*steps.checks, *ended.guard.checks(watched_ns)])


def _gate(ended: _Ended, trust: Trust) -> Gate:
    history, verdict = ended.loop.history, single.verdict_of(ended.loop.history, ended.done)
    said = history[-1].verdict if history else None
    cut = said is None or ended.done.stop_reason == "interrupted"
    reasons = (ended.done.why,) if said is None or cut else said.reasons
    if trust.verdict == "invalid" and verdict != "invalid":
        verdict = "invalid"
        reasons = tuple(c.says for c in trust.checks if c.verdict == "invalid")
    criteria = () if said is None else said.criteria
    remedies: Mapping[VerdictName, str] = {
        "undecided": longer(criteria, ended.plan.looks_ns[-1]),
        "invalid": QUIETER,
    }
    return Gate(
        offered_per_s=ended.plan.rate_per_s,
        verdict=verdict,
        criteria=criteria,
        reasons=reasons,
        remedy=remedies.get(verdict),
        from_run=ended.plan.from_run,
    )


def _plan_json(plan: CheckPlan, judged: Plan) -> Mapping[str, Any]:
    document = dict(plan_json(judged))
    document["load"] = {
        "kind": "check",
        "rate_per_s": plan.rate_per_s,
        "looks_s": [at_ns / NS_PER_S for at_ns in plan.looks_ns],
        "from_run": plan.from_run,
    }
    return document


def _refuse_what_nobody_could_judge(plan: CheckPlan) -> None:
    base, rate_per_s = plan.base, plan.rate_per_s
    said = (
        cannot_judge(slo, rate_per_s * base.share_of(slo.request), plan.looks_ns[-1])
        for slo in base.slos
    )
    faults = [f"--slo: {text}; raise --for" for text in said if text is not None]
    if faults:
        raise PlanError(faults)
