"""What a node may be counted on for: the bound that the next one stays above, not a rule of thumb.

    K_1 … K_n   what a node carried in each of n runs
    K̄, s        their mean and standard deviation
    K_r = K̄ − t · s · √(1 + 1/n)      t the 95 % point of Student's distribution, n − 1 degrees

K_r holds for the next node in 95 of 100 such plans. One run has no spread: then it is the lower end
of the interval of its own knee. With a headroom given, K_r = headroom · K̄ instead.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt
from statistics import mean, stdev

from breakstep.analysis.distributions import student_quantile
from breakstep.analysis.words import percent
from breakstep.capacity.carried import Carried, carried
from breakstep.model.capacity import Range, Rated
from breakstep.model.errors import PlanError
from breakstep.model.record import Result
from breakstep.model.units import format_rate

SURE = 0.95
RUNS_WANTED = 5
"""Fewer runs leave so much to chance that the bound is mostly Student's t."""


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
