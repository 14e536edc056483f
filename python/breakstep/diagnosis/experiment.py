"""Whether a change moved the breaking load: what decides between two suspects.

With the limit of the true bottleneck raised by a factor f, the breaking load moves by at least half
of f − 1, and its interval before lies wholly below the one after. A change to anything else
leaves it where it was.
"""

from dataclasses import dataclass
from typing import Literal

from breakstep.model.record import Answer
from breakstep.model.units import format_rate

HALF = 0.5
Moved = Literal["as_predicted", "up", "less", "down", "not", "unknown"]


@dataclass(frozen=True, slots=True)
class Shift:
    """How the breaking load moved. `ratio` is after / before, None when either is not known."""

    moved: Moved
    ratio: float | None
    says: str


@dataclass(frozen=True, slots=True)
class _Knee:
    low: float
    middle: float
    high: float

    def __str__(self) -> str:
        return f"{format_rate(self.low)}–{format_rate(self.high)}/s"


def shift(before: Answer, after: Answer, raised: float | None) -> Shift:
    """What the change did; `raised` is by how much it raised the limit, None if not said."""
    first, second = _knee(before), _knee(after)
    if first is None:
        return Shift("unknown", None, "Nothing to compare with: no breaking load was found before.")
    if second is None:
        return _without_knee(first, after)
    ratio = second.middle / first.middle
    moved = _moved(first, second, ratio, raised)
    return Shift(moved, ratio, f"{_fact(first, second, ratio)} {_MEANS[moved]}")


_MEANS = {
    "as_predicted": "That is what raising the limit of the true bottleneck does: it was this one.",
    "up": "The change moved it: what was changed was the bottleneck, or in front of it. Say with "
    "--raised by how much, and the answer says whether it moved as far as it should.",
    "less": "That is less than half of what was added: it was a limit, and another is close "
    "behind.",
    "down": "The change made it worse: put it back.",
    "not": "The intervals overlap: what was changed is not the bottleneck.",
    "unknown": "",
}


def _moved(first: _Knee, second: _Knee, ratio: float, raised: float | None) -> Moved:
    if second.high < first.low:
        return "down"
    if second.low <= first.high:
        return "not"
    if raised is None:
        return "up"
    return "as_predicted" if ratio - 1.0 >= HALF * (raised - 1.0) else "less"


def _fact(first: _Knee, second: _Knee, ratio: float) -> str:
    return (
        f"Before the experiment it broke at {first}, after it at {second}: {ratio:.2f} times as "
        "much."
    )


def _without_knee(first: _Knee, after: Answer) -> Shift:
    held = after.sustainable_per_s
    if after.status == "above_ceiling" and held is not None and held > first.high:
        says = (
            f"Before the experiment it broke at {first}, after it {format_rate(held)}/s held and "
            f"nothing more was offered. {_MEANS['up']}"
        )
        return Shift("up", held / first.middle, says)
    says = f"Before the experiment it broke at {first}; after it no breaking load was found."
    return Shift("unknown", None, says)


def _knee(answer: Answer) -> _Knee | None:
    """The knee with its interval; the bracket where there is no line through the shares."""
    if answer.status != "found":
        return None
    held, broken = answer.sustainable_per_s, answer.broken_per_s
    if answer.knee_per_s is not None and answer.knee_interval_per_s is not None:
        low, high = answer.knee_interval_per_s
        return _Knee(low, answer.knee_per_s, high)
    if held is None or broken is None:
        return None
    return _Knee(held, (held * broken) ** 0.5, broken)
