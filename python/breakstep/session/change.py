"""`check --against`: blocks of load on two versions in turn, and what they say of the change."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime

from breakstep.engine.reach import at_its_address
from breakstep.model.check import ChangePlan, Side
from breakstep.model.plan import Plan
from breakstep.model.record import Result
from breakstep.plan import limits
from breakstep.report.check_html import render_check_html
from breakstep.session.around import Around
from breakstep.session.blocks import Desk, SideOfChange
from breakstep.session.books import open_writer
from breakstep.session.change_course import FLAGS, Course
from breakstep.session.change_result import Ended, assembled
from breakstep.session.detection import detected, named_probes
from breakstep.session.signals import sampling, with_signals
from breakstep.session.stage import engine_for, guard_on, host_watched
from breakstep.session.versions import Version
from breakstep.store.recorded import read_recorded


def check_change(plan: ChangePlan, around: Around) -> Result:
    """Offers the blocks and judges the change.

    Raises PlanError, TargetError, ProbeError, EngineError or StoreError.
    """
    started_at, machine = datetime.now(UTC), limits.read_machine()
    for warning in limits.warnings(plan.head, machine):
        around.say(f"warning: {warning}")
    with ExitStack() as stack:
        version = stack.enter_context(_version(plan.head, around))
        if plan.head_command is not None:
            # Where it listens, and what a probe reads of it, is known once it is up.
            version.switch(plan.head_command, FLAGS["head"])
        head = at_its_address(plan.head)
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
        writer = stack.enter_context(open_writer(around.out, engine))
        course = Course(plan, sides, Desk(around, writer, guard, book), version)
        course.begin()
        book.desk.add(detected(head, engine, around))
        load_ns = 2 * plan.pairs * (head.warmup_ns + head.hold_ns)
        with around.progress, host_watched(guard, head.slos, load_ns, around):
            course.run()
        book.keep(writer)
        series, states = book.series(), book.states()
        ended = Ended(course, started_at, machine)
        result = with_signals(assembled(ended, around.run), series, states, book.lost)
        if writer is not None:
            recorded = read_recorded(writer.directory.path)
            writer.finish(result, render_check_html(result, recorded))
    return result


@contextmanager
def _version(plan: Plan, around: Around) -> Iterator[Version]:
    version = Version(plan.target, around.stopping)
    try:
        yield version
    finally:
        version.stop()
