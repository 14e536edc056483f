"""`sweep`: the closed model, level by level, with everything a run leaves behind."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from rich.text import Text

from breakstep._engine import Engine
from breakstep.analysis.throughput_knee import throughput_knee, users
from breakstep.analysis.usl import Point, fit_usl
from breakstep.analysis.words import percent
from breakstep.engine.contact import Contact, first_contact
from breakstep.engine.generator import start_engine
from breakstep.engine.ledger import Second
from breakstep.engine.reach import at_its_address
from breakstep.model.record import Answer, Result, Status
from breakstep.model.sweep import Comparison, Level, Sweep, SweepPlan, SweepStop
from breakstep.model.units import NS_PER_MS, NS_PER_S, format_duration
from breakstep.plan import limits
from breakstep.plan.redact import plan_json
from breakstep.report.sweep import level_heading, level_line, open_heading
from breakstep.report.sweep_html import render_sweep_html
from breakstep.session.around import Around
from breakstep.session.books import keep, open_writer
from breakstep.session.closed_level import ClosedLoad, ClosedRunner, open_sockets, whole_seconds
from breakstep.session.contact import check_contact, check_each
from breakstep.session.environment import describe
from breakstep.session.live import Screen
from breakstep.session.open_comparison import OpenRunner, nominal_per_s
from breakstep.session.opening import asked_of
from breakstep.session.sweep_record import Recorder, level_notes, worst_trust
from breakstep.store.sweep_json import SECTION, to_section
from breakstep.store.writer import RunWriter

ERRORS_STOP = 0.10
"""Beyond this share of failures more users would only measure how fast the service refuses."""


def sweep(plan: SweepPlan, around: Around) -> Result:
    """Measures every level. Raises PlanError, TargetError, EngineError or StoreError."""
    plan = replace(plan, base=at_its_address(plan.base))
    base, machine, started_at = plan.base, limits.read_machine(), datetime.now(UTC)
    allowed = limits.connections_allowed(base, machine)
    engine = start_engine(base, allowed)
    others = open_sockets()
    try:
        check_each(base, around.stopping)
        contact = first_contact(engine, around.stopping)
        if not around.stopping():
            check_contact(base, contact)
        around.say(_opening(plan, contact))
        with open_writer(around.out, engine) as writer:
            course = _Course(plan, around, engine, contact, writer, others)
            course.note_limits(allowed)
            with around.progress:
                course.run()
            found = course.found()
            result = Result(
                id=around.run,
                command="sweep",
                plan=_plan_json(plan),
                environment=describe(machine, started_at),
                runs=(),
                answer=_answer(found),
                trust=worst_trust(found),
                sections={SECTION: to_section(found)},
            )
            if writer is not None:
                writer.finish(result, render_sweep_html(result, found))
        return result
    finally:
        engine.stop()


@dataclass(slots=True)
class _Course:
    """How far a sweep has come. `others` counts the sockets that are none of its connections."""

    plan: SweepPlan
    around: Around
    engine: Engine
    contact: Contact
    writer: RunWriter | None
    others: int
    levels: list[Level] = field(default_factory=list)
    comparison: Comparison | None = None
    stop_reason: SweepStop = "done"
    why: str = "every level was measured"
    notes: list[str] = field(default_factory=list)
    _next_index: int = 0
    _epoch_wall_ns: int = field(init=False)

    def __post_init__(self) -> None:
        # Read now: the last seconds of an interrupted level are kept when the engine has stopped.
        self._epoch_wall_ns = self.engine.epoch_wall_ns

    def note_limits(self, allowed: int) -> None:
        """Says so before any load when there cannot be a connection for each user."""
        most = self.plan.concurrency[-1]
        if allowed < most:
            self._note(
                f"Only {allowed} connections can be opened here, fewer than the {most} users of "
                "the highest level: raise ulimit -n or widen net.ipv4.ip_local_port_range."
            )

    def run(self) -> None:
        """The levels, lowest first, and the same users as an open model if that was asked for."""
        for concurrency in self.plan.concurrency:
            if not self._level(concurrency):
                break
        if self.plan.compare_open and self.stop_reason != "interrupted":
            self._compare()

    def found(self) -> Sweep:
        """The levels and what they say together."""
        usable = [level for level in self.levels if level.unusable is None]
        points = [Point(level.concurrency, level.completed_per_s) for level in usable]
        notes = [note for level in self.levels for note in level_notes(level)]
        return Sweep(
            think_ms=self.plan.think_ns / NS_PER_MS,
            levels=tuple(self.levels),
            stop_reason=self.stop_reason,
            why=self.why,
            knee=throughput_knee(self.levels),
            usl=fit_usl(points),
            compare_open=self.comparison,
            notes=(*self.notes, *notes),
        )

    def _level(self, concurrency: int) -> bool:
        """Measures a level; whether to go on."""
        level = self._measure_trusted(concurrency)
        if level is not None:
            self.levels.append(level)
        if level is None or level.cut_short is not None:
            return self._stop("interrupted", "it was interrupted")
        if level.trust.verdict == "invalid":
            return self._stop(
                "untrusted", f"{users(concurrency)} could not be trusted twice: {level.unusable}"
            )
        if level.errors > ERRORS_STOP:
            failed = percent(level.errors)
            return self._stop("errors", f"with {users(concurrency)} {failed} of requests failed")
        return True

    def _measure_trusted(self, concurrency: int) -> Level | None:
        """The level, measured once more if the generator was not fit the first time."""
        level = self._measure(concurrency)
        if level is None or level.cut_short is not None or level.trust.verdict != "invalid":
            return level
        again = self._measure(concurrency)
        return level if again is None else again

    def _stop(self, reason: SweepStop, why: str) -> bool:
        self.stop_reason, self.why = reason, why
        return False

    def _measure(self, concurrency: int) -> Level | None:
        """The level; None if it was interrupted before anything was due in its window."""
        if self.around.stopping():
            return None
        base = self.plan.base
        runner = ClosedRunner(
            self.engine,
            base.workers,
            base.timeout_ns,
            lambda load, second: self._keep(load.index, second),
            Screen(self.around.progress).look,
            self.around.stopping,
        )
        load = ClosedLoad(
            index=self._index(),
            concurrency=concurrency,
            think_ns=self.plan.think_ns,
            warmup_ns=whole_seconds(base.warmup_ns),
            hold_ns=base.hold_ns,
        )
        self.around.progress.started(level_heading(load.concurrency, load.think_ns))
        measured = runner.run(load)
        if measured.interrupted and measured.tally.arrivals == 0:
            return None
        level = self._recorder().level(measured)
        self.around.progress.finished(Text(level_line(level, self.plan.think_ns)))
        return level

    def _compare(self) -> None:
        if self.stop_reason != "done":
            self._note(f"The open model was not offered: {self.why}.")
        elif self.contact.median_ns is None:
            self._note("The open model was not offered: no answer without load was ok.")
        else:
            self._offer_open(self.contact.median_ns)

    def _offer_open(self, unloaded_ns: int) -> None:
        plan, level = self.plan, self.levels[-1]
        rate_per_s = nominal_per_s(level.concurrency, plan.think_ns, unloaded_ns)
        screen = Screen(self.around.progress)
        runner = OpenRunner(self.engine, plan.base, self._keep, screen.look, self.around.stopping)
        self.around.say(runner.announcement(level.concurrency, rate_per_s))
        self.around.progress.started(open_heading(rate_per_s))
        measured = runner.run(self._index(), rate_per_s)
        if measured.interrupted:
            self._stop("interrupted", "it was interrupted")
            return
        self.comparison = self._recorder().comparison(level, plan.think_ns, unloaded_ns, measured)

    def _recorder(self) -> Recorder:
        base = self.plan.base
        return Recorder(base.spin, self._epoch_wall_ns, self.others, keeps=base.target.keep_alive)

    def _index(self) -> int:
        self._next_index += 1
        return self._next_index - 1

    def _note(self, text: str) -> None:
        self.notes.append(text)
        self.around.say(f"note: {text}")

    def _keep(self, index: int, second: Second) -> None:
        keep(self.writer, self._epoch_wall_ns, second, index)


def _answer(found: Sweep) -> Answer:
    """The most it carried, in the words that every verb shares."""
    nothing = Answer("inconclusive", None, None, caveats=found.notes)
    if found.knee.highest_per_s is None:
        invalid = any(level.trust.verdict == "invalid" for level in found.levels)
        return replace(nothing, status="untrusted") if invalid else nothing
    status: Status = "above_ceiling" if found.knee.concurrency is None else "found"
    return replace(nothing, status=status, capacity_per_s=found.knee.highest_per_s)


def _plan_json(plan: SweepPlan) -> Mapping[str, Any]:
    document = dict(plan_json(plan.base))
    document["load"] = {
        "kind": "sweep",
        "concurrency": list(plan.concurrency),
        "think_s": plan.think_ns / NS_PER_S,
        "compare_open": plan.compare_open,
    }
    document["warmup_s"] = whole_seconds(plan.base.warmup_ns) / NS_PER_S
    return document


def _opening(plan: SweepPlan, contact: Contact) -> str:
    base, target = plan.base, plan.base.target
    where = target.unix_socket or ", ".join(target.addresses[:1])
    fast = "" if contact.median_ns is None else f", {format_duration(contact.median_ns)} unloaded"
    think = format_duration(plan.think_ns) if plan.think_ns else "no"
    levels = ", ".join(map(str, plan.concurrency))
    return (
        f"target {asked_of(base)} at {where}{fast}\n"
        f"users  {levels}, closed model, {think} think time"
    )
