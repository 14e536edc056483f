"""From the blocks of a comparison to its result."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from breakstep.analysis.comparison import PAIRS_MIN, compare
from breakstep.analysis.trust import run_trust, trust_of
from breakstep.model.check import BAD, ChangePlan, Comparison, Difference, Gate
from breakstep.model.record import Answer, Criterion, Result, RunRecord, Trust
from breakstep.model.units import NS_PER_S
from breakstep.plan import limits
from breakstep.plan.redact import REDACTED, plan_json, redact_url
from breakstep.session.blocks import SideOfChange
from breakstep.session.change_course import Course
from breakstep.session.check import QUIETER
from breakstep.session.environment import describe
from breakstep.session.loop import INTERRUPTED
from breakstep.store.check_json import SECTION, to_section


@dataclass(frozen=True, slots=True)
class Ended:
    """A comparison that is over."""

    course: Course
    started_at: datetime
    machine: limits.Machine


def assembled(ended: Ended, run: str) -> Result:
    """The result, but for what the probes saw."""
    course = ended.course
    trust = _trust(ended)
    return Result(
        id=run,
        command="check",
        plan=_plan_json(course.plan),
        environment=describe(ended.machine, ended.started_at),
        runs=tuple(_run_record(course, course.sides[name]) for name in ("head", "base")),
        answer=Answer("inconclusive", None, None, caveats=_caveats(course)),
        trust=trust,
        sections={SECTION: to_section(_gate(course, trust))},
    )


def _trust(ended: Ended) -> Trust:
    course = ended.course
    watched_ns = round((datetime.now(UTC) - ended.started_at).total_seconds() * NS_PER_S)
    history = [step for side in course.sides.values() for step in side.records]
    steps = run_trust(history, "ceiling")
    return trust_of([*steps.checks, *course.desk.guard.checks(watched_ns)])


def _run_record(course: Course, side: SideOfChange) -> RunRecord:
    seed, steps = side.plan.seed, tuple(side.records)
    if course.interrupted:
        return RunRecord(seed, INTERRUPTED.stop_reason, INTERRUPTED.why, None, None, steps)
    return RunRecord(seed, "ceiling", "every block was offered", None, None, steps)


def _gate(course: Course, trust: Trust) -> Gate:
    plan = course.plan
    found = compare(course.blocks, plan.loss, course.quantile)
    verdict, reasons = found.verdict, found.reasons
    broken = [check.says for check in trust.checks if check.verdict == "invalid"]
    if broken or (found.pairs < max(PAIRS_MIN, plan.pairs // 2) and course.untrusted):
        verdict, reasons = "invalid", tuple(broken) or (_spoiled(course),)
    if course.interrupted:
        verdict, reasons = "undecided", (INTERRUPTED.why,)
    remedies = {"undecided": _remedy(found, plan), "invalid": QUIETER}
    return Gate(
        offered_per_s=plan.rate_per_s,
        verdict=verdict,
        criteria=tuple(_criterion(one) for one in found.differences),
        reasons=reasons,
        remedy=remedies.get(verdict),
        from_run=plan.from_run,
        comparison=found,
    )


def _criterion(one: Difference) -> Criterion:
    slo = f"{one.measure}<{100 * one.limit:+.3g}%"
    return Criterion(slo, one.change, one.limit, one.verdict, one.says)


def _remedy(found: Comparison, plan: ChangePlan) -> str:
    """How much longer it takes: bounds narrow with the root of the time."""
    typical = next((one for one in found.differences if one.measure != BAD), None)
    block_ns = plan.head.warmup_ns + plan.head.hold_ns
    times = 2.0
    if typical is not None and typical.change < plan.loss < typical.upper:
        half, away = typical.upper - typical.change, plan.loss - typical.change
        times = min(20.0, max(1.5, (half / away) ** 2))
    longer = round(times * 2 * plan.pairs * block_ns / NS_PER_S)
    return f"measure longer: --for {longer}s, or on a quieter machine"


def _caveats(course: Course) -> tuple[str, ...]:
    return (f"Not counted: {_spoiled(course)}.",) if course.untrusted else ()


def _spoiled(course: Course) -> str:
    """How many blocks could not be trusted, with one reason for all."""
    return f"{len(course.untrusted)} blocks could not be trusted, such as: {course.untrusted[-1]}"


def _plan_json(plan: ChangePlan) -> Mapping[str, Any]:
    document = dict(plan_json(plan.head))
    commands: Sequence[str | None] = (plan.base_command, plan.head_command)
    base_command, head_command = (None if text is None else REDACTED for text in commands)
    document["load"] = {
        "kind": "change",
        "rate_per_s": plan.rate_per_s,
        "pairs": plan.pairs,
        "loss": plan.loss,
        "base_url": redact_url(plan.base.target.url),
        "base_command": base_command,
        "head_command": head_command,
        "from_run": plan.from_run,
    }
    return document
