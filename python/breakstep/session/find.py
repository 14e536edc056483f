"""`find`: from a plan to the breaking point, with everything a run leaves behind."""

from datetime import UTC, datetime

from breakstep.engine.contact import Contact
from breakstep.engine.reach import at_its_address
from breakstep.model.plan import Plan
from breakstep.model.record import Result
from breakstep.plan import limits
from breakstep.report.html import render_html
from breakstep.session.around import Around
from breakstep.session.assembled import Ended, assembled
from breakstep.session.books import open_writer
from breakstep.session.contact import load_ns
from breakstep.session.detection import detected, named_probes
from breakstep.session.explained import explained
from breakstep.session.headroom import headroom_checks
from breakstep.session.passes import Bench, Passes
from breakstep.session.signals import sampling, with_signals
from breakstep.session.stage import engine_for, guard_on, host_watched, reached
from breakstep.store.recorded import read_recorded


def find(plan: Plan, around: Around) -> Result:
    """Finds the breaking point.

    Raises PlanError, TargetError, ProbeError, EngineError or StoreError. What was measured before
    a later run failed is written first.
    """
    started_at, machine = datetime.now(UTC), limits.read_machine()
    for warning in limits.warnings(plan, machine):
        around.say(f"warning: {warning}")
    plan = at_its_address(plan)
    # The user's own probes are opened first: a target at work may leave them no connection.
    with (
        sampling(named_probes(plan)) as book,
        engine_for(plan, machine) as engine,
        guard_on(plan) as guard,
    ):
        contact, judged = reached(plan, engine, around)
        book.desk.add(detected(plan, engine, around))
        with open_writer(around.out, engine) as writer:
            bench = Bench(judged, around, engine, writer, guard, book)
            passes = _gated(bench, contact)
            book.keep(writer)
            ended = Ended(judged, not plan.slos, contact, passes, guard, machine, started_at)
            series, states = book.series(), book.states()
            result = with_signals(assembled(ended, around.run), series, states, book.lost)
            result = explained(result, series, states)
            if writer is not None:
                recorded = read_recorded(writer.directory.path)
                writer.finish(result, render_html(result, recorded))
    if passes.failure is not None:
        raise passes.failure
    return result


def _gated(bench: Bench, contact: Contact) -> Passes:
    """The runs, with the host watched before and after them, and the generator tried beyond."""
    plan, guard, around = bench.plan, bench.guard, bench.around
    with host_watched(guard, plan.slos, load_ns(plan, contact), around):
        passes = bench.passes(contact)
    guard.keep(headroom_checks(plan, [one.record() for one in passes.done], around.stopping))
    return passes
