"""`check --against`: blocks of load on two versions in turn, and what they say of the change."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from breakstep.analysis.comparison import PAIRS_MIN, block_of, compare, tail_quantile
from breakstep.analysis.gate import AFTER, gate_ns
from breakstep.analysis.trust import run_trust, trust_of
from breakstep.analysis.verdict import tightest_for
from breakstep.engine.contact import Contact, first_contact
from breakstep.engine.reach import at_its_address
from breakstep.model.check import BAD, Block, ChangePlan, Comparison, Difference, Gate, Side
from breakstep.model.plan import Plan
from breakstep.model.record import Answer, Criterion, Result, RunRecord, Trust
from breakstep.model.units import NS_PER_S, format_duration, format_rate
from breakstep.plan import limits
from breakstep.plan.redact import REDACTED, plan_json, redact_url
from breakstep.report.check_html import render_check_html
from breakstep.session.around import Around
from breakstep.session.between import between_runs
from breakstep.session.blocks import Desk, SideOfChange, turns
from breakstep.session.books import open_writer
from breakstep.session.check import QUIETER
from breakstep.session.contact import check_contact, check_each
from breakstep.session.detection import detected, named_probes
from breakstep.session.environment import describe
from breakstep.session.signals import sampling, with_signals
from breakstep.session.stage import engine_for, guard_on
from breakstep.session.versions import Version
from breakstep.store.check_json import SECTION, to_section
from breakstep.store.recorded import read_recorded

SPARE = 2
"""One more pair for so many, where some could not be trusted."""
FLAGS: Mapping[Side, str] = {"base": "--base-command", "head": "--head-command"}


def check_change(plan: ChangePlan, around: Around) -> Result:
    """Offers the blocks and judges the change.

    Raises PlanError, TargetError, ProbeError, EngineError or StoreError.
    """
    started_at, machine = datetime.now(UTC), limits.read_machine()
    head = at_its_address(plan.head)
    for warning in limits.warnings(head, machine):
        around.say(f"warning: {warning}")
    with ExitStack() as stack:
        book = stack.enter_context(sampling(named_probes(head)))
        engine = stack.enter_context(engine_for(head, machine))
        sides: dict[Side, SideOfChange] = {
            "head": SideOfChange("head", head, engine, 0),
            "base": SideOfChange("base", head, engine, 1),
        }
        if plan.head_command is None:
            base = at_its_address(plan.base)
            other = stack.enter_context(engine_for(base, machine))
            sides["base"] = SideOfChange("base", base, other, 1)
        guard = stack.enter_context(guard_on(head))
        version = stack.enter_context(_version(head, around))
        writer = stack.enter_context(open_writer(around.out, engine))
        course = _Course(plan, sides, Desk(around, writer, guard, book), version)
        course.begin()
        book.desk.add(detected(head, engine, around))
        with around.progress:
            course.watched()
        book.keep(writer)
        series, states = book.series(), book.states()
        ended = _Ended(course, started_at, machine)
        result = with_signals(_assembled(ended, around.run), series, states, book.lost)
        if writer is not None:
            recorded = read_recorded(writer.directory.path, series)
            writer.finish(result, render_check_html(result, recorded))
    return result


@contextmanager
def _version(plan: Plan, around: Around) -> Iterator[Version]:
    version = Version(plan.target, around.stopping)
    try:
        yield version
    finally:
        version.stop()


@dataclass(slots=True)
class _Course:
    """How far a comparison has come."""

    plan: ChangePlan
    sides: Mapping[Side, SideOfChange]
    desk: Desk
    version: Version
    blocks: list[Block] = field(default_factory=list)
    untrusted: list[str] = field(default_factory=list)
    """Why, for each block that could not be trusted."""
    interrupted: bool = False

    def begin(self) -> None:
        """First contact with both versions, before any load."""
        around = self.desk.around
        for name, side in self.sides.items():
            contact = self._brought_up(name)
            if not around.stopping():
                check_each(side.plan, around.stopping)
                check_contact(side.plan, contact)
            around.say(_opening(name, side.plan, contact))
            side.engine.set_good_within(tightest_for(side.plan.slos, None))
        block_ns = self.plan.head.warmup_ns + self.plan.head.hold_ns
        around.say(
            f"load   {format_rate(self.plan.rate_per_s)}/s for {format_duration(block_ns)} each, "
            f"{self.plan.pairs} times in turn"
        )

    def watched(self) -> None:
        """The blocks, with the host watched before and after them."""
        plan, guard, around = self.plan, self.desk.guard, self.desk.around
        load_ns = 2 * plan.pairs * (plan.head.warmup_ns + plan.head.hold_ns)
        length_ns = gate_ns(load_ns)
        for text in guard.gate_before(plan.head.slos, length_ns, around.stopping):
            around.say(f"warning: this host is not fit: {text}")
        self._run()
        guard.gate_after(plan.head.slos, round(AFTER * length_ns), around.stopping)

    def _run(self) -> None:
        """As many trusted pairs as planned, or as the spare ones make up for."""
        pairs = self.plan.pairs
        order = turns(pairs + pairs // SPARE, self.plan.head.seed)
        for first, second in zip(order[::2], order[1::2], strict=True):
            if len(self.blocks) >= 2 * pairs or self.interrupted:
                return
            found = [self._block(*turn) for turn in (first, second)]
            # A pair of which one block is worth nothing is worth nothing.
            self.blocks += [block for block in found if block is not None and None not in found]

    def _block(self, pair: int, side: Side) -> Block | None:
        """None where it could not be trusted, or was interrupted."""
        if self.interrupted or self.desk.around.stopping():
            self.interrupted = True
            return None
        if self.plan.head_command is not None:
            self._brought_up(side)
        self.desk.guard.between()
        offered = self.sides[side].offer(self.plan.rate_per_s, pair, self.desk)
        if offered is None:
            self.interrupted = True
            return None
        record, rows = offered
        if record.trust.verdict == "invalid":
            checks = record.trust.checks
            self.untrusted.append(next(c.says for c in checks if c.verdict == "invalid"))
            return None
        slos = self.plan.head.slos
        return block_of(rows, pair, side, self.quantile, tightest_for(slos, None))

    @property
    def quantile(self) -> float:
        """Of the tail that is compared."""
        arrivals = self.plan.rate_per_s * self.plan.head.hold_ns / NS_PER_S
        return tail_quantile(self.plan.head.slos, arrivals)

    def _brought_up(self, name: Side) -> Contact:
        """The version answers; what it said without load."""
        side, around = self.sides[name], self.desk.around
        command = self.plan.head_command if name == "head" else self.plan.base_command
        if command is None:
            return first_contact(side.engine, around.stopping)
        self.version.switch(command, FLAGS[name])
        return between_runs(None, side.engine, around.stopping, FLAGS[name])


@dataclass(frozen=True, slots=True)
class _Ended:
    course: _Course
    started_at: datetime
    machine: limits.Machine


def _assembled(ended: _Ended, run: str) -> Result:
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


def _trust(ended: _Ended) -> Trust:
    course = ended.course
    watched_ns = round((datetime.now(UTC) - ended.started_at).total_seconds() * NS_PER_S)
    history = [step for side in course.sides.values() for step in side.records]
    steps = run_trust(history, "ceiling")
    return trust_of([*steps.checks, *course.desk.guard.checks(watched_ns)])


def _run_record(course: _Course, side: SideOfChange) -> RunRecord:
    seed, steps = side.plan.seed, tuple(side.records)
    if course.interrupted:
        return RunRecord(seed, "interrupted", "it was interrupted", None, None, steps)
    return RunRecord(seed, "ceiling", "every block was offered", None, None, steps)


def _gate(course: _Course, trust: Trust) -> Gate:
    plan = course.plan
    found = compare(course.blocks, plan.loss, course.quantile)
    verdict, reasons = found.verdict, found.reasons
    broken = [check.says for check in trust.checks if check.verdict == "invalid"]
    if broken or (found.pairs < max(PAIRS_MIN, plan.pairs // 2) and course.untrusted):
        verdict, reasons = "invalid", tuple(broken) or (_spoiled(course),)
    if course.interrupted:
        verdict, reasons = "undecided", ("it was interrupted",)
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


def _caveats(course: _Course) -> tuple[str, ...]:
    return (f"Not counted: {_spoiled(course)}.",) if course.untrusted else ()


def _spoiled(course: _Course) -> str:
    """How many blocks could not be trusted, with one reason for all."""
    return f"{len(course.untrusted)} blocks could not be trusted, such as: {course.untrusted[-1]}"


def _opening(name: str, plan: Plan, contact: Contact) -> str:
    fast = "" if contact.median_ns is None else f", {format_duration(contact.median_ns)} unloaded"
    where = plan.target.unix_socket or ", ".join(plan.target.addresses[:1])
    url = redact_url(plan.target.url)
    return f"{name}   {url} at {where}{fast}"


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
