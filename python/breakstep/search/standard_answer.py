"""From the steps of a statistical search to its answer, with what is uncertain about it.

low and high edge known       found, whatever ended the search but distrust
only high, stopped at floor   below_floor
only low, stopped at ceiling  above_ceiling
distrust                      untrusted, and no number
anything else                 inconclusive
"""

from collections.abc import Sequence
from dataclasses import replace

from breakstep.analysis.knee import Knee, abrupt, knee
from breakstep.analysis.words import percent
from breakstep.model.record import Answer, RunRecord, Status, StepRecord
from breakstep.model.units import format_rate
from breakstep.search.answer import POINT_ESTIMATE, Terms, capacity_per_s
from breakstep.search.answer import answer as plain_answer
from breakstep.search.confirming import hysteresis
from breakstep.search.controller import Done
from breakstep.search.standard import Standard
from breakstep.search.trials import Bracket, Load, counting

ONE_RUN = (
    "One run: the interval holds for the service as it was then; after a restart it may break "
    "elsewhere. --repeat shows by how much."
)


def answer(search: Standard, history: Sequence[StepRecord], done: Done, terms: Terms) -> Answer:
    """The breaking point with its interval, or why there is none."""
    trials = search.trials(history)
    bracket, steps = Bracket.of(trials), [trial.record for trial in counting(trials)]
    plain = plain_answer(steps, done, terms)
    suspected = hysteresis(trials, search.width)
    caveats = tuple(text for text in plain.caveats if text != POINT_ESTIMATE)
    caveats += () if suspected is None else (suspected,)
    status = _status(bracket, done)
    if status == "untrusted":
        return Answer(status, None, None, caveats=(*caveats, f"Withheld: {done.why}."))
    found = Answer(
        status,
        sustainable_per_s=_rate(bracket.low),
        broken_per_s=_rate(bracket.high),
        capacity_per_s=capacity_per_s(steps),
        caveats=(*caveats, ONE_RUN),
    )
    return found if status != "found" else _with_knee(found, bracket, steps, search.width)


def run_record(search: Standard, history: Sequence[StepRecord], done: Done, seed: int) -> RunRecord:
    """The run as it is stored."""
    bracket = Bracket.of(search.trials(history))
    rates = _rate(bracket.low), _rate(bracket.high)
    return RunRecord(seed, done.stop_reason, done.why, *rates, tuple(history))


def _status(bracket: Bracket, done: Done) -> Status:
    if done.stop_reason == "untrusted":
        return "untrusted"
    if bracket.low is not None and bracket.high is not None:
        return "found"
    if bracket.high is not None and done.stop_reason == "floor":
        return "below_floor"
    if bracket.low is not None and done.stop_reason == "ceiling":
        return "above_ceiling"
    return "inconclusive"


def _with_knee(
    found: Answer, bracket: Bracket, steps: Sequence[StepRecord], width: float
) -> Answer:
    low, high = found.sustainable_per_s, found.broken_per_s
    if low is None or high is None:
        return found
    line = knee(steps, low, high)
    return replace(
        found,
        range_per_s=(low, high),
        knee_per_s=line.per_s,
        knee_interval_per_s=line.interval_per_s,
        caveats=(
            *found.caveats,
            *_unconfirmed(bracket),
            *_without_line(line, steps, width),
            *_wide(line, width),
        ),
    )


def _unconfirmed(bracket: Bracket) -> list[str]:
    return [
        f"{format_rate(load.rate_per_s)}/s was judged once only; no second step confirmed it."
        for load in (bracket.low, bracket.high)
        if load is not None and not load.confirmed
    ]


def _without_line(line: Knee, steps: Sequence[StepRecord], width: float) -> list[str]:
    if line.slo is not None:
        return []
    if abrupt(steps, width):
        says = (
            "The service breaks abruptly, from hardly any bad arrivals to many within "
            f"{percent(width)} of load; the knee is the middle of what is left between."
        )
        return [says]
    says = (
        "Too few loads near the knee had a measurable share of bad arrivals to draw a line: it "
        "lies between the load that held and the one that failed."
    )
    return [says]


def _wide(line: Knee, width: float) -> list[str]:
    low, high = line.interval_per_s
    attained = high / low - 1.0
    if attained <= 2.0 * width:
        return []
    says = (
        f"The knee is known to {percent(attained)}, not to the {percent(2.0 * width)} aimed at: "
        "near it the share of bad arrivals strays or changes slowly with load. A larger --budget "
        "narrows it."
    )
    return [says]


def _rate(load: Load | None) -> float | None:
    return None if load is None else load.rate_per_s
