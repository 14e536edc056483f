"""Blocks of load on two versions in turn: one side, and the order in which the sides take turns."""

import random
from dataclasses import dataclass, field, replace
from itertools import chain

from rich.text import Text

from breakstep._engine import Engine
from breakstep.analysis.rows import Rows
from breakstep.engine.ledger import Second
from breakstep.engine.step_runner import StepRunner, Watch
from breakstep.model.check import Side
from breakstep.model.plan import Plan, Step
from breakstep.model.record import StepRecord, Verdict
from breakstep.report.check import block_line
from breakstep.report.progress import heading
from breakstep.search.controller import StepShape, step_seed
from breakstep.session.around import Around
from breakstep.session.books import keep
from breakstep.session.guard import HostGuard
from breakstep.session.live import Onlooker
from breakstep.session.record import Judge, rows_of
from breakstep.session.signals import SignalBook
from breakstep.store.writer import RunWriter

ABBA: tuple[Side, ...] = ("base", "head", "head", "base")
BAAB: tuple[Side, ...] = ("head", "base", "base", "head")
OF_A_BLOCK = Verdict("undecided", reasons=("a block is judged with the others, not by itself",))


def turns(pairs: int, seed: int) -> list[tuple[int, Side]]:
    """Pair and side of each block, in order: ABBA or BAAB by chance, again and again.

    What drifts evenly is then on both sides of every four blocks, and a rhythm cannot keep step
    with the versions.
    """
    chance = random.Random(step_seed(seed, pairs))  # noqa: S311  not a secret
    rounds = (chance.choice((ABBA, BAAB)) for _ in range((pairs + 1) // 2))
    sides = list(chain.from_iterable(rounds))[: 2 * pairs]
    return [(number // 2, side) for number, side in enumerate(sides)]


@dataclass(slots=True)
class SideOfChange:
    """One of the versions: its plan, with its target, and what was measured of it."""

    name: Side
    plan: Plan
    engine: Engine
    number: int
    """Of the run that its steps make."""
    records: list[StepRecord] = field(default_factory=list)
    _judge: Judge = field(init=False)
    _epoch_wall_ns: int = field(init=False)

    def __post_init__(self) -> None:
        self._epoch_wall_ns = self.engine.epoch_wall_ns
        self._judge = Judge(self.plan, self._epoch_wall_ns)

    def offer(self, rate_per_s: float, pair: int, desk: "Desk") -> tuple[StepRecord, Rows] | None:
        """A block; both sides of a pair have the same arrivals. None if it was interrupted."""
        index = len(self.records)
        shape = StepShape.of(self.plan)
        step = Step(
            index=index,
            rate_per_s=rate_per_s,
            ramp_from_per_s=0.0,
            ramp_ns=0,
            warmup_ns=shape.warmup_ns,
            hold_ns=shape.hold_ns,
            seed=step_seed(shape.run_seed, pair),
            looks_ns=(shape.hold_ns,),
        )
        plan, around = self.plan, desk.around
        around.progress.started(f"{self.name}, {heading(step)}")
        onlooker = Onlooker(plan, step, around.progress, desk.guard)
        watch = Watch(
            second=lambda second: self._keep(second, index, desk),
            look=onlooker.look,
            stopping=around.stopping,
        )
        runner = StepRunner(self.engine, plan)
        measured = runner.run(step, watch)
        host = desk.guard.hold_ended()
        if measured.interrupted:
            return None
        record = self._judge.record(measured, host if onlooker.saw_hold else None, None)
        if record.verdict.name != "invalid":
            record = replace(record, verdict=OF_A_BLOCK)
        self.records.append(record)
        around.progress.finished(Text(block_line(self.name, record)))
        return record, rows_of(measured.window)

    def _keep(self, second: Second, index: int, desk: "Desk") -> None:
        keep(desk.writer, self._epoch_wall_ns, second, index, self.number)
        desk.book.keep(desk.writer)


@dataclass(frozen=True, slots=True)
class Desk:
    """What both sides share."""

    around: Around
    writer: RunWriter | None
    guard: HostGuard
    book: SignalBook
