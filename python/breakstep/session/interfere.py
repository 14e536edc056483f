"""`interfere`: a victim alone, then under a bully's load, and again; everything a run leaves."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from breakstep._engine import Engine
from breakstep.analysis.host_noise import host_checks
from breakstep.analysis.interference import interference
from breakstep.engine.contact import Contact, first_contact, settle
from breakstep.engine.ledger import Second
from breakstep.engine.reach import at_its_address
from breakstep.engine.step_runner import LOOK_NS, Snapshot
from breakstep.model.interfere import InterferePlan, Offer, Pair
from breakstep.model.plan import Plan
from breakstep.model.record import Answer, Result, StepRecord
from breakstep.model.units import NS_PER_S, format_duration
from breakstep.plan import limits
from breakstep.plan.limits import Machine
from breakstep.plan.redact import plan_json, redact_url
from breakstep.report.interfere import pair_line, phase_heading
from breakstep.report.interfere_html import render_interfere_html
from breakstep.session.around import Around
from breakstep.session.beside import Watched, beside, offer
from breakstep.session.books import keep, open_writer
from breakstep.session.contact import check_contact
from breakstep.session.detection import detected, named_probes
from breakstep.session.environment import describe
from breakstep.session.guard import HostGuard
from breakstep.session.interfere_record import recorded
from breakstep.session.interfere_why import why
from breakstep.session.live import Screen
from breakstep.session.signals import SignalBook, sampling, with_signals
from breakstep.session.stage import engine_for, guard_on
from breakstep.store.finding_json import to_section as finding_section
from breakstep.store.interfere_json import SECTION, to_section
from breakstep.store.writer import RunWriter

ATTEMPTS = 2
"""Of a pair whose generator was not fit."""


def interfere(plan: InterferePlan, around: Around) -> Result:
    """Measures every pair. Raises PlanError, TargetError, ProbeError, EngineError, StoreError."""
    started_at, machine = datetime.now(UTC), limits.read_machine()
    plan = replace(plan, victim=at_its_address(plan.victim), bully=at_its_address(plan.bully))
    with (
        sampling(named_probes(plan.victim)) as book,
        engine_for(plan.victim, machine) as engine,
        guard_on(plan.victim) as guard,
    ):
        contact = _contacts(plan, engine, around, machine)
        book.desk.add(detected(plan.victim, engine, around))
        with open_writer(around.out, engine) as writer:
            course = _Course(plan, around, engine, contact, machine, book, guard, writer)
            with around.progress:
                course.run()
            book.keep(writer)
            result = _result(plan, around, course, describe(machine, started_at))
            if writer is not None:
                writer.finish(result, render_interfere_html(result))
    return result


def _contacts(plan: InterferePlan, engine: Engine, around: Around, machine: Machine) -> Contact:
    """What either endpoint says without load; the victim's is returned."""
    contact = first_contact(engine, around.stopping)
    with engine_for(plan.bully, machine) as other:
        bully = first_contact(other, around.stopping)
    if not around.stopping():
        check_contact(plan.victim, contact)
        check_contact(plan.bully, bully)
    for name, one, met, offered in (
        ("victim", plan.victim, contact, plan.victim_offer),
        ("bully", plan.bully, bully, plan.bully_offer),
    ):
        fast = "" if met.median_ns is None else f", {format_duration(met.median_ns)} unloaded"
        around.say(f"{name:<6} {redact_url(one.target.url)}{fast}; {offered}")
    return contact


@dataclass(slots=True)
class _Course:
    """How far the repeats have come."""

    plan: InterferePlan
    around: Around
    engine: Engine
    contact: Contact
    machine: Machine
    book: SignalBook
    guard: HostGuard
    writer: RunWriter | None
    pairs: list[Pair] = field(default_factory=list)
    _index: int = 0

    def run(self) -> None:
        """The pairs; one whose generator was not fit is measured once more."""
        for _ in range(self.plan.repeat):
            for attempt in range(ATTEMPTS):
                pair = self._pair()
                if pair is None:
                    return
                if attempt + 1 == ATTEMPTS or _fit(pair):
                    self.pairs.append(pair)
                    self.around.progress.finished(pair_line(len(self.pairs), pair))
                    break

    def _pair(self) -> Pair | None:
        """Alone, then under load; None if that was interrupted."""
        plan, stopping = self.plan, self.around.stopping
        if self.contact.median_ns is not None:
            settle(self.engine, self.contact.median_ns, stopping)
        alone = self._victim(phase_heading("alone", plan.victim_offer))
        if alone is None:
            return None
        with beside(plan.bully, plan.bully_offer, self._index, self.machine) as other:
            self._wait(plan.bully.warmup_ns)
            heading = phase_heading(f"under {plan.bully_offer}", plan.victim_offer)
            under_load = self._victim(heading)
        if under_load is None or other.taken is None:
            return None
        spinning = plan.bully.spin
        bully = recorded(self._index, plan.bully_offer, other.taken, (), spinning=spinning)
        return Pair(alone, under_load, replace(bully, cut_short=None))

    def _victim(self, heading: str) -> StepRecord | None:
        if self.around.stopping():
            return None
        index, plan = self._index, self.plan.victim
        self._index += 1
        self.around.progress.started(heading)
        onlooker = _Onlooker(Screen(self.around.progress), self.guard)
        wall_ns = self.engine.epoch_wall_ns

        def second(one: Second) -> None:
            keep(self.writer, wall_ns, one, index)
            self.book.keep(self.writer)

        watched = Watched(second, onlooker.look, self.around.stopping)
        # Both windows of a pair get the same arrivals: chance is no difference between them.
        taken = offer(self.engine, plan, self.plan.victim_offer, len(self.pairs), watched)
        host = self.guard.hold_ended()
        if taken.interrupted:
            return None
        more = host_checks(host, plan.slos)
        return recorded(index, self.plan.victim_offer, taken, more, spinning=plan.spin)

    def _wait(self, length_ns: int) -> None:
        """Until the bully's load is there."""
        end_ns = time.monotonic_ns() + length_ns
        while not self.around.stopping() and time.monotonic_ns() < end_ns:
            time.sleep(LOOK_NS / NS_PER_S)


@dataclass(slots=True)
class _Onlooker:
    """Shows a load, and lets what the host does count from its hold on."""

    screen: Screen
    guard: HostGuard
    saw_hold: bool = False

    def look(self, snapshot: Snapshot) -> None:
        """Several times a second."""
        if snapshot.phase == "hold" and not self.saw_hold:
            self.saw_hold = True
            self.guard.hold_begins()
        self.screen.look(snapshot)


def _fit(pair: Pair) -> bool:
    return all(step.trust.verdict != "invalid" for step in (pair.alone, pair.under_load))


def _result(
    plan: InterferePlan, around: Around, course: _Course, environment: Mapping[str, Any]
) -> Result:
    found = interference(course.pairs, interrupted=around.stopping())
    series, states = course.book.series(), course.book.states()
    result = Result(
        id=around.run,
        command="interfere",
        plan=_plan_json(plan),
        environment=environment,
        runs=(),
        answer=Answer("inconclusive", None, None),
        trust=found.trust,
        sections={SECTION: to_section(plan, found)},
    )
    result = with_signals(result, series, states, course.book.lost)
    finding = finding_section(why(result, found, series, states))
    return replace(result, sections={**result.sections, "diagnosis": finding})


def _plan_json(plan: InterferePlan) -> Mapping[str, Any]:
    return {
        **plan_json(plan.victim),
        "load": {
            "kind": "interfere",
            "victim": _offer_json(plan.victim, plan.victim_offer),
            "bully": _offer_json(plan.bully, plan.bully_offer),
        },
        "repeat": plan.repeat,
    }


def _offer_json(plan: Plan, offered: Offer) -> Mapping[str, Any]:
    return {
        "url": redact_url(plan.target.url),
        "rate_per_s": offered.rate_per_s,
        "connections": offered.connections,
    }
