"""What stands before any load is offered: the engine, the host's watch, the first contact."""

from collections.abc import Iterator
from contextlib import contextmanager

from breakstep._engine import Engine
from breakstep.analysis.verdict import tightest_for
from breakstep.engine.contact import Contact, first_contact
from breakstep.engine.generator import start_engine
from breakstep.model.plan import Plan
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
