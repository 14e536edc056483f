"""One answer from several runs: the lowest load that held, and how far the runs lie apart.

held       the lowest of the runs: a plan rests on what every run showed
broken     the lowest of the runs
range      of the loads that held, lowest to highest
knee       the median of the runs, its interval around all of theirs
spread     (highest − lowest) / median of the loads that held
"""

from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from breakstep.analysis.words import percent
from breakstep.model.record import Answer
from breakstep.model.units import format_rate

USABLE_SPREAD = 0.25
"""Beyond this the runs do not speak of the same service."""


def together(answers: Sequence[Answer]) -> Answer:
    """The answer of all runs; that of a single run is left as it is."""
    if len(answers) == 1:
        return answers[0]
    caveats = _common(answers)
    statuses = {answer.status for answer in answers}
    if "untrusted" in statuses:
        return Answer("untrusted", None, None, caveats=(*caveats, _counts(answers)))
    if len(statuses) > 1:
        return Answer("inconclusive", None, None, caveats=(*caveats, _counts(answers)))
    return _agreeing(answers, caveats)


def _agreeing(answers: Sequence[Answer], caveats: tuple[str, ...]) -> Answer:
    held = [a.sustainable_per_s for a in answers if a.sustainable_per_s is not None]
    broken = [a.broken_per_s for a in answers if a.broken_per_s is not None]
    knees = [a.knee_per_s for a in answers if a.knee_per_s is not None]
    intervals = [a.knee_interval_per_s for a in answers if a.knee_interval_per_s is not None]
    carried = [a.capacity_per_s for a in answers if a.capacity_per_s is not None]
    around = (min(i[0] for i in intervals), max(i[1] for i in intervals)) if intervals else None
    return replace(
        answers[0],
        sustainable_per_s=min(held, default=None),
        broken_per_s=min(broken, default=None),
        range_per_s=(min(held), max(held)) if held else None,
        knee_per_s=median(knees) if knees else None,
        knee_interval_per_s=around,
        capacity_per_s=min(carried, default=None),
        caveats=(*caveats, *_spread(held)),
    )


def _spread(held: Sequence[float]) -> list[str]:
    if not held:
        return []
    low, high = min(held), max(held)
    spread = (high - low) / median(held)
    says = f"{len(held)} runs held between {format_rate(low)}/s and {format_rate(high)}/s"
    if spread <= USABLE_SPREAD:
        return [f"{says}: they differ by {percent(spread)}."]
    too_wide = (
        f"{says}: they differ by {percent(spread)}, too much to plan with. Find out what differs "
        "between runs (caches, restarts, neighbours) before using the number."
    )
    return [too_wide]


def _counts(answers: Sequence[Answer]) -> str:
    names = [answer.status for answer in answers]
    shown = ", ".join(f"{names.count(name)} {name}" for name in dict.fromkeys(names))
    return f"The runs do not agree: {shown}."


def _common(answers: Sequence[Answer]) -> tuple[str, ...]:
    """Every caveat once, but for those that there was only one run."""
    every = dict.fromkeys(text for answer in answers for text in answer.caveats)
    return tuple(text for text in every if not text.startswith("One run"))
