"""From everything a search left behind to its result."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from breakstep.analysis.trust import run_trust, trust_of
from breakstep.engine.contact import Contact
from breakstep.model.plan import Plan
from breakstep.model.record import Answer, Result, Trust
from breakstep.model.units import NS_PER_S
from breakstep.plan.limits import Machine
from breakstep.plan.redact import plan_json
from breakstep.search.answer import Terms
from breakstep.search.repeats import together
from breakstep.session.effort import effort_section
from breakstep.session.environment import describe
from breakstep.session.experiment import experiment_section
from breakstep.session.foresight import Foresight
from breakstep.session.guard import HostGuard
from breakstep.session.passes import Passes


@dataclass(frozen=True, slots=True)
class Ended:
    """A search that is over. `plan` has the SLOs that were judged, `assumed` ones perhaps."""

    plan: Plan
    assumed: bool
    contact: Contact
    passes: Passes
    guard: HostGuard
    machine: Machine
    started_at: datetime


def assembled(ended: Ended, run: str) -> Result:
    """The result, but for what the probes saw."""
    plan, passes = ended.plan, ended.passes
    terms = Terms(plan.slos, ended.assumed, plan.arrivals)
    trust = _trust(ended)
    found = together([one.answer(terms) for one in passes.done])
    result = Result(
        id=run,
        command="find",
        plan=plan_json(plan),
        environment=describe(ended.machine, ended.started_at),
        runs=tuple(one.record() for one in passes.done),
        answer=_withheld(_with(passes.foresight, found), trust),
        trust=trust,
        sections=passes.sections(),
    )
    section = effort_section(plan, ended.contact, result.runs, result.answer)
    sections = {**result.sections, **section}
    if plan.experiment is not None and passes.after is not None:
        sections["experiment"] = experiment_section(
            plan.experiment, result.answer, passes.after, terms
        )
    return replace(result, sections=sections)


def _trust(ended: Ended) -> Trust:
    watched_ns = round((datetime.now(UTC) - ended.started_at).total_seconds() * NS_PER_S)
    passes = ended.passes.done
    history = [step for one in passes for step in one.loop.history]
    steps = run_trust(history, passes[-1].done.stop_reason)
    return trust_of([*steps.checks, *ended.guard.checks(watched_ns)])


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
