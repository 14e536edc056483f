"""What the steps of a statistical search say of each load."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from breakstep.model.plan import Step, StepKind
from breakstep.model.record import StepRecord, VerdictName

DECIDED: tuple[VerdictName, ...] = ("pass", "fail")


@dataclass(frozen=True, slots=True)
class Trial:
    """A step as it was asked for, and what came of it."""

    step: Step
    record: StepRecord

    @property
    def verdict(self) -> VerdictName:
        """Of the step."""
        return self.record.verdict.name


@dataclass(frozen=True, slots=True)
class Choice:
    """What to offer next."""

    rate_per_s: float
    kind: StepKind = "search"
    edge: bool = False
    """Whether it confirms an edge."""


@dataclass(frozen=True, slots=True)
class Load:
    """The verdicts at one load, oldest first: the search's own, then confirmations.

    The latest one stands, unless it is undecided and another was given twice before. It is
    confirmed when it was given twice.
    """

    rate_per_s: float
    verdicts: tuple[VerdictName, ...]

    @property
    def standing(self) -> VerdictName:
        """What holds of this load for now."""
        last = self.verdicts[-1]
        given = [name for name in DECIDED if self.verdicts.count(name) > 1]
        return given[0] if last == "undecided" and len(given) == 1 else last

    @property
    def confirmed(self) -> bool:
        """Whether a fresh step said the same."""
        return self.verdicts.count(self.standing) > 1


@dataclass(frozen=True, slots=True)
class Bracket:
    """The loads in order, and where passing ends and failing begins."""

    loads: tuple[Load, ...]

    @classmethod
    def of(cls, trials: Sequence[Trial]) -> "Bracket":
        """From the trials that count: neither invalid ones nor canaries."""
        verdicts: dict[float, list[VerdictName]] = {}
        for trial in counting(trials):
            verdicts.setdefault(trial.step.rate_per_s, []).append(trial.verdict)
        return cls(tuple(Load(rate, tuple(verdicts[rate])) for rate in sorted(verdicts)))

    @property
    def high(self) -> Load | None:
        """The lowest load that fails."""
        return next((load for load in self.loads if load.standing == "fail"), None)

    @property
    def low(self) -> Load | None:
        """The highest load that passes below every failing one."""
        return max(
            (load for load in self._below_high() if load.standing == "pass"),
            key=lambda load: load.rate_per_s,
            default=None,
        )

    @property
    def above(self) -> Load | None:
        """The highest load that passes although a lower one fails."""
        high = self.high
        return max(
            (
                load
                for load in self.loads
                if high and load.rate_per_s > high.rate_per_s and load.standing == "pass"
            ),
            key=lambda load: load.rate_per_s,
            default=None,
        )

    @property
    def inside(self) -> list[tuple[float, float]]:
        """The gaps between neighbouring loads from `low` to `high`; none without either."""
        low, high = self.low, self.high
        if low is None or high is None:
            return []
        rates = [load.rate_per_s for load in self.loads]
        first, last = rates.index(low.rate_per_s), rates.index(high.rate_per_s)
        return list(pairwise(rates[first : last + 1]))

    @property
    def edges(self) -> list[tuple[float, float]]:
        """The gaps to narrow: from `low` to the first undecided load, from the last to `high`."""
        gaps = self.inside
        return [gaps[0], gaps[-1]] if gaps else []

    def _below_high(self) -> list[Load]:
        high = self.high
        return [load for load in self.loads if high is None or load.rate_per_s < high.rate_per_s]


def counting(trials: Sequence[Trial]) -> list[Trial]:
    """The trials that say something of a load."""
    return [t for t in trials if t.step.kind in ("search", "confirm") and t.verdict != "invalid"]


def rates(trials: Sequence[Trial], kind: StepKind) -> set[float]:
    """Those that were offered in steps of this kind."""
    return {trial.step.rate_per_s for trial in trials if trial.step.kind == kind}


def left_open(trials: Sequence[Trial]) -> int:
    """Confirmations of searched loads that stayed undecided."""
    searched = rates(trials, "search")
    return sum(
        t.step.kind == "confirm" and t.verdict == "undecided" and t.step.rate_per_s in searched
        for t in trials
    )
