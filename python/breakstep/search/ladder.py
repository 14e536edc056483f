"""The measured loads in order, each with what its windows said."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from breakstep.model.record import StepRecord

FAILS = 2
"""Windows that have to fail before a load does."""

Standing = Literal["pass", "fail", "open"]


@dataclass(frozen=True, slots=True)
class Rung:
    """One load: how often it passed and failed. The majority decides; a tie leaves it open."""

    rate_per_s: float
    passed: int
    failed: int

    @property
    def standing(self) -> Standing:
        """Whether the load holds."""
        if self.passed == self.failed:
            return "open"
        return "pass" if self.passed > self.failed else "fail"

    @property
    def measured(self) -> int:
        """The windows that passed or failed."""
        return self.passed + self.failed


@dataclass(frozen=True, slots=True)
class Ladder:
    """Every load with at least one step, by rate."""

    rungs: tuple[Rung, ...]

    @classmethod
    def of(cls, history: Sequence[StepRecord]) -> "Ladder":
        """Steps at the same rate make one rung."""
        seen = Counter((step.offered_per_s, step.verdict.name) for step in history)
        rates = sorted({step.offered_per_s for step in history})
        return cls(tuple(Rung(rate, seen[rate, "pass"], seen[rate, "fail"]) for rate in rates))

    @property
    def broken(self) -> Rung | None:
        """The lowest load that failed."""
        return next((rung for rung in self.rungs if rung.standing == "fail"), None)

    @property
    def sustainable(self) -> Rung | None:
        """The highest load that passed with every lower one passing."""
        held = None
        for rung in self.rungs:
            if rung.standing != "pass":
                break
            held = rung
        return held

    @property
    def doubted(self) -> Rung | None:
        """The lowest load that does not hold, while no second window agrees that it fails."""
        first = next((rung for rung in self.rungs if rung.standing != "pass"), None)
        return first if first is not None and first.failed < FAILS else None

    @property
    def out_of_order(self) -> Rung | None:
        """The highest load that passed although a lower one failed."""
        broken = self.broken
        above = (
            rung
            for rung in reversed(self.rungs)
            if broken and rung.rate_per_s > broken.rate_per_s and rung.standing == "pass"
        )
        return next(above, None)
