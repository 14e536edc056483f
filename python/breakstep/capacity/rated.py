"""What a node may be counted on for: the bound that the next one stays above, not a rule of thumb.

    K_1 … K_n   what a node carried in each of n runs
    K̄, s        their mean and standard deviation
    K_r = K̄ − t · s · √(1 + 1/n)      t the 95 % point of Student's distribution, n − 1 degrees

K_r holds for the next node in 95 of 100 such plans. One run has no spread: then it is the lower end
of the interval of its own knee. With a headroom given, K_r = headroom · K̄ instead.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from statistics import mean, median, stdev

from breakstep.analysis.distributions import student_quantile
from breakstep.analysis.likeness import unlike
from breakstep.analysis.words import percent
from breakstep.model.capacity import Range, Rated
from breakstep.model.errors import PlanError
from breakstep.model.record import Answer, Result
from breakstep.model.units import format_rate
from breakstep.search.repeats import USABLE_SPREAD

SURE = 0.95
RUNS_WANTED, NAMED = 5, 3
"""Fewer runs leave so much to chance that the bound is mostly Student's t."""


@dataclass(frozen=True, slots=True)
class Carried:
    """What each run carried, as knees or as the loads that held; `around` is one run's interval."""

    per_s: tuple[float, ...]
    knees: bool
    around: Range | None
    caveats: tuple[str, ...]


def rate_node(results: Sequence[Result], headroom: float | None, measured_on: int) -> Rated:
    """The rated capacity of one node. Raises PlanError with every run that gives no load."""
    found = carried(results, measured_on)
    mean_per_s = mean(found.per_s)
    spread = stdev(found.per_s) / mean_per_s if len(found.per_s) > 1 else None
    rated = Rated(
        per_s=0.0,
        mean_per_s=mean_per_s,
        interval_per_s=_interval(found, mean_per_s),
        runs=len(found.per_s),
        spread=spread,
        by="one_run" if spread is None else "next_node",
        says=_says(found, mean_per_s, spread),
        caveats=found.caveats,
        slos=tuple(str(slo) for slo in results[0].plan.get("slos") or ()),
    )
    return _bounded(rated, found) if headroom is None else _given(rated, headroom)


def _bounded(rated: Rated, found: Carried) -> Rated:
    """Rated by where the next node lies."""
    low, _ = rated.interval_per_s
    if low <= 0.0:
        raise PlanError([_scattered(found)])
    return replace(rated, per_s=low, caveats=(*rated.caveats, *_few(rated.runs)))


def _given(rated: Rated, headroom: float) -> Rated:
    """Rated by a share that the user answers for."""
    low, high = rated.interval_per_s
    carried_per_s = format_rate(rated.mean_per_s)
    return replace(
        rated,
        per_s=headroom * rated.mean_per_s,
        interval_per_s=(headroom * low, headroom * high),
        by="headroom",
        says=f"{percent(headroom)} of the {carried_per_s}/s that it carried, as given",
    )


def carried(results: Sequence[Result], measured_on: int) -> Carried:
    """What a node carried in each run. Raises PlanError with every run that does not say."""
    faults = [fault for result in results if (fault := _fault(result)) is not None]
    faults += _together(results)
    if faults:
        raise PlanError(faults)
    answers = [result.answer for result in results]
    knees = [answer.knee_per_s for answer in answers if answer.knee_per_s is not None]
    repeated = any(len(result.runs) > 1 for result in results)
    by_knee = len(knees) == len(results) and not repeated
    loads = knees if by_knee else [load for result in results for load in _held(result)]
    around = _around(answers[0], loads[0]) if len(loads) == 1 else None
    return Carried(
        tuple(load / measured_on for load in loads),
        by_knee,
        around and (around[0] / measured_on, around[1] / measured_on),
        (*_caveats(results), *_apart(loads)),
    )


def _fault(result: Result) -> str | None:
    if result.command != "find":
        return f"{result.id}: {result.command} finds no breaking load; name a run of find"
    answer = result.answer
    if answer.status in ("found", "above_ceiling") and answer.sustainable_per_s:
        return None
    return (
        f"{result.id}: no load held that a plan could rest on (its answer is {answer.status}); "
        "see `breakstep report` of it, and search again"
    )


def _together(results: Sequence[Result]) -> list[str]:
    """The faults of runs that do not go together."""
    ids = [result.id for result in results]
    faults = [f"{name}: named twice; it is one run" for name in ids if ids.count(name) > 1]
    for other in results[1:]:
        decisive = [d for d in unlike(results[0], other) if d.weight == "decisive"]
        faults += [
            f"{other.id}: its {d.name} is {d.after}, that of {results[0].id} {d.before}; plan with "
            "runs on the same terms"
            for d in decisive
        ]
    return list(dict.fromkeys(faults))


def _held(result: Result) -> list[float]:
    """The loads that held, a pass each; that of the answer where a pass kept none."""
    held = [run.sustainable_per_s for run in result.runs if run.sustainable_per_s is not None]
    return held if len(result.runs) > 1 else [result.answer.sustainable_per_s or held[-1]]


def _around(answer: Answer, load: float) -> Range:
    if answer.knee_interval_per_s is not None:
        return answer.knee_interval_per_s
    return (load, answer.broken_per_s or load)


def _interval(found: Carried, mean_per_s: float) -> Range:
    """Where the next node lies: 95 % below the upper end, 95 % above the lower."""
    count = len(found.per_s)
    if found.around is not None:
        return found.around
    reach = student_quantile(count - 1, SURE) * stdev(found.per_s) * sqrt(1.0 + 1.0 / count)
    return mean_per_s - reach, mean_per_s + reach


def _says(found: Carried, mean_per_s: float, spread: float | None) -> str:
    what = "broke at about" if found.knees else "held"
    if spread is None:
        ends = "the lower end of its interval" if found.knees else "the highest load that held"
        return f"one run {what} {format_rate(mean_per_s)}/s; this is {ends}"
    return (
        f"{len(found.per_s)} runs {what} {format_rate(mean_per_s)}/s on average and differ by a "
        f"standard deviation of {percent(spread)}; the next node stays above this in 95 of 100 "
        "cases"
    )


def _few(runs: int) -> tuple[str, ...]:
    if runs >= RUNS_WANTED:
        return ()
    if runs == 1:
        says = (
            "One run: nothing is known of how far the next start of the service lies from it. "
            f"Plan with {RUNS_WANTED} runs, at different hours and after restarts."
        )
        return (says,)
    says = f"{runs} runs: the bound leaves much to chance; {RUNS_WANTED} or more narrow it."
    return (says,)


def _scattered(found: Carried) -> str:
    low, high = format_rate(min(found.per_s)), format_rate(max(found.per_s))
    return (
        f"the {len(found.per_s)} runs carried between {low}/s and {high}/s: so few that lie so far "
        f"apart give no bound for the next node; make at least {RUNS_WANTED} runs, or say "
        "--headroom"
    )


def _caveats(results: Sequence[Result]) -> tuple[str, ...]:
    held = [result.id for result in results if result.answer.status == "above_ceiling"]
    even = [result.id for result in results if result.plan.get("arrivals") == "uniform"]
    noisy = [result.id for result in results if result.trust.verdict == "noisy"]
    found = []
    if held:
        found.append(
            f"Did not break: {_some(held)}. A node carries more; search higher to need fewer."
        )
    if even:
        found.append(
            f"Evenly spaced arrivals: {_some(even)}. Independent users break a node earlier."
        )
    if noisy:
        found.append(f"Measured under strain, see their trust checks: {_some(noisy)}.")
    return tuple(found)


def _apart(loads: Sequence[float]) -> tuple[str, ...]:
    """The same bound as for the passes of a repeated search."""
    apart = (max(loads) - min(loads)) / median(loads)
    if apart <= USABLE_SPREAD:
        return ()
    says = (
        f"The runs lie {percent(apart)} apart, too much for one service: find out what differs "
        "(caches, restarts, neighbours), for the plan pays for it."
    )
    return (says,)


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{', '.join(names[:NAMED])}{more}"
