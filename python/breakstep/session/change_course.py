"""The course of a comparison: both versions met once, then block after block."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from breakstep.analysis.comparison import block_of, tail_quantile
from breakstep.analysis.rows import Rows
from breakstep.analysis.verdict import tightest_for
from breakstep.engine.contact import Contact, first_contact
from breakstep.model.check import Block, ChangePlan, Side
from breakstep.model.plan import Plan
from breakstep.model.record import StepRecord
from breakstep.model.units import NS_PER_S, format_duration, format_rate
from breakstep.plan.redact import redact_url
from breakstep.session.between import between_runs
from breakstep.session.blocks import Desk, SideOfChange, turns
from breakstep.session.contact import check_contact, check_each
from breakstep.session.versions import Version

SPARE = 2
"""One more pair for so many, where some could not be trusted."""
FLAGS: Mapping[Side, str] = {"base": "--base-command", "head": "--head-command"}


@dataclass(slots=True)
class Course:
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

    def run(self) -> None:
        """As many trusted pairs as planned, or as the spare ones make up for."""
        pairs = self.plan.pairs
        order = turns(pairs + pairs // SPARE, self.plan.head.seed)
        for first, second in zip(order[::2], order[1::2], strict=True):
            if len(self.blocks) >= 2 * pairs or self.interrupted:
                return
            found = [self._block(*turn) for turn in (first, second) if not self.interrupted]
            # A pair of which one block is worth nothing is worth nothing.
            if None not in found:
                self.blocks += [block for block in found if block is not None]

    def _block(self, pair: int, side: Side) -> Block | None:
        """None where it could not be trusted, or was interrupted."""
        offered = self._offered(pair, side)
        if offered is None:
            self.interrupted = True
            return None
        record, rows = offered
        if record.trust.verdict == "invalid":
            checks = record.trust.checks
            self.untrusted.append(next(c.says for c in checks if c.verdict == "invalid"))
            return None
        bound_ns = tightest_for(self.plan.head.slos, None)
        return block_of(rows, pair, side, self.quantile, bound_ns)

    def _offered(self, pair: int, side: Side) -> tuple[StepRecord, Rows] | None:
        """What was measured in a block; None if it was interrupted."""
        stopping = self.desk.around.stopping
        if not stopping() and self.plan.head_command is not None:
            self._brought_up(side)
        if stopping():
            return None
        self.desk.guard.between()
        return self.sides[side].offer(self.plan.rate_per_s, pair, self.desk)

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


def _opening(name: str, plan: Plan, contact: Contact) -> str:
    fast = "" if contact.median_ns is None else f", {format_duration(contact.median_ns)} unloaded"
    where = plan.target.unix_socket or ", ".join(plan.target.addresses[:1])
    url = redact_url(plan.target.url)
    return f"{name}   {url} at {where}{fast}"
