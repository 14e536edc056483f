"""What stands before any load is offered: the engine, the host's watch, the first contact."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from breakstep._engine import Engine
from breakstep.analysis.gate import AFTER, gate_ns
from breakstep.analysis.verdict import tightest_for
from breakstep.engine.contact import Contact, first_contact
from breakstep.engine.generator import start_engine
from breakstep.model.plan import Plan
from breakstep.model.slo import Slo
from breakstep.plan import limits
from breakstep.plan.limits import Machine
from breakstep.session.around import Around
from breakstep.session.contact import check_contact, check_each, out_of_reach, settled_plan
from breakstep.session.guard import HostGuard
from breakstep.session.opening import opening


@contextmanager
def engine_for(plan: Plan, machine: Machine) -> Iterator[Engine]:
    """A started engine for the plan's target, stopped on leaving."""
    engine = start_engine(plan, limits.connections_allowed(plan, machine))
    try:
        yield engine
    finally:
        engine.stop()


@contextmanager
def guard_on(plan: Plan) -> Iterator[HostGuard]:
    """The host watched until left."""
    guard = HostGuard.on(plan.pin)
    try:
        yield guard
    finally:
        guard.stop()


@contextmanager
def host_watched(
    guard: HostGuard, slos: Sequence[Slo], load_ns: int, around: Around
) -> Iterator[None]:
    """Watches the host without load before and after what is done inside, which takes so long."""
    length_ns = gate_ns(load_ns)
    for text in guard.gate_before(slos, length_ns, around.stopping):
        around.say(f"warning: this host is not fit: {text}")
    yield
    guard.gate_after(slos, round(AFTER * length_ns), around.stopping)


def reached(plan: Plan, engine: Engine, around: Around) -> tuple[Contact, Plan]:
    """What the target says without load, and the plan with the SLOs that are judged."""
    check_each(plan, around.stopping)
    contact = first_contact(engine, around.stopping)
    if not around.stopping():
        check_contact(plan, contact)
    judged = settled_plan(plan, contact)
    around.say(opening(judged, contact, assumed=not plan.slos))
    for text in out_of_reach(judged, contact):
        around.say(f"warning: {text}")
    engine.set_good_within(tightest_for(judged.slos, None))
    return contact, judged
