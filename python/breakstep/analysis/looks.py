"""Judging a hold while it goes on: at a look, the arrivals so far decide, or it goes on.

    look       at each of a step's `looks_ns`, one bound later (then every response time that is
               within it is known)
    level      0.05 / looks, one-sided, so that all looks together err on a side in 5 % at most
    settling   arrivals before the MSER-5 cut are left out; a cut past the middle leaves none out,
               but then the later half must say the same as the whole
    growing    at any look: arrivals outran completions, the load fails whatever was within

A confirmation is the second opinion on a verdict: one look, level 0.025.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, log

import numpy as np

from breakstep.analysis.exceedance import estimate, told
from breakstep.analysis.queue import classify
from breakstep.analysis.rows import OK, UNFINISHED, Flags, Rows
from breakstep.analysis.rows_tally import as_tally
from breakstep.analysis.verdict import all_of, criterion, nothing_due, tightest_for
from breakstep.analysis.warmup import CUT_MAX, mser_cut
from breakstep.analysis.words import counted, percent
from breakstep.model.plan import Step
from breakstep.model.record import Criterion, Estimate, Queue, Verdict, VerdictName
from breakstep.model.slo import Slo, quantile_name
from breakstep.model.units import NS_PER_S, format_duration, format_rate

ERROR = 0.05
CONFIRM_LEVEL = 0.025
CAP_BOUNDS = 2.0
NOT_SETTLED = "response times had not settled, and the window's later half says otherwise"


@dataclass(frozen=True, slots=True)
class Hold:
    """A hold until a look. Times are ns on the clock of the rows.

    `rows` has every arrival due from `from_ns` until `until_ns`, those that have not ended too:
    see `Rows.with_unfinished`. `in_flight_start` is the number in flight when the hold began;
    `names` are those of the requests, by their number in the rows.
    """

    rows: Rows
    from_ns: int
    until_ns: int
    in_flight_start: int
    timeout_ns: int
    names: Sequence[str] = ()

    def rows_of(self, request: str | None) -> Rows:
        """The arrivals that performed a request; all for None."""
        return self.rows if request is None else self.rows.performing(self.names.index(request))


def level_of(step: Step) -> float:
    """The chance of error that each one-sided bound of this step may take."""
    error = CONFIRM_LEVEL if step.kind == "confirm" else ERROR
    return error / max(1, len(step.looks_ns))


def judge_at(step: Step, slos: Sequence[Slo], hold: Hold) -> Verdict:
    """What the arrivals until this look say; `undecided` means: go on to the next look."""
    queue = queue_of(hold)
    verdict = _judge_requests(slos, hold, level_of(step))
    if queue != "growing" or verdict.name == "fail":
        return verdict
    return replace(verdict, name="fail", reasons=(_outran(hold),))


def queue_of(hold: Hold) -> Queue:
    """The flow balance of the hold until this look."""
    end, completions = _flow(hold)
    return classify(hold.in_flight_start, end, completions, len(hold.rows))


def needed_arrivals(quantile: float, error: float = ERROR) -> int:
    """The fewest independent arrivals that can show the quantile: all of them within the bound.

    ln(error) / ln(quantile)

    >>> needed_arrivals(0.99), needed_arrivals(0.999)
    (299, 2995)
    """
    return ceil(log(error) / log(quantile))


def cannot_judge(slo: Slo, rate_per_s: float, allowed_ns: int, effect: float = 1.0) -> str | None:
    """Why a latency SLO is out of reach of any verdict here, or None.

    `allowed_ns` is the longest a step may be held; `effect` the design effect to expect.
    """
    if slo.kind != "latency":
        return None
    needed = ceil(needed_arrivals(slo.quantile) * effect)
    if rate_per_s * allowed_ns / NS_PER_S >= needed:
        return None
    of = "" if slo.request is None else f"{slo.request}: "
    return (
        f"{of}{quantile_name(slo.quantile)} cannot be judged at {format_rate(rate_per_s)}/s in the "
        f"time allowed: it takes at least {counted(needed)} arrivals, "
        f"{format_duration(needed / rate_per_s * NS_PER_S)}"
    )


def _judge_requests(slos: Sequence[Slo], hold: Hold, level: float) -> Verdict:
    """All SLOs, those that name a request on its arrivals alone."""
    asked = dict.fromkeys(slo.request for slo in slos)
    return _together([_judge_share(slos, hold, request, level) for request in asked])


def _judge_share(slos: Sequence[Slo], hold: Hold, request: str | None, level: float) -> Verdict:
    rows = hold.rows_of(request)
    if len(rows) == 0:
        return Verdict("undecided", reasons=(nothing_due(request),))
    tightest_ns = tightest_for(slos, request)
    asked = [(slo, tightest_ns) for slo in slos if slo.request == request]
    cut = mser_cut(rows, CAP_BOUNDS * (tightest_ns or hold.timeout_ns))
    if cut <= CUT_MAX * len(rows):
        return _judge_rows(asked, rows[cut:], level)
    whole = _judge_rows(asked, rows, level)
    late = _judge_rows(asked, rows[len(rows) // 2 :], level)
    if whole.name == late.name:
        return whole
    return Verdict("undecided", _undecided(whole.criteria), (NOT_SETTLED,))


def _together(verdicts: Sequence[Verdict]) -> Verdict:
    """Fails if one does, passes if all do; the reasons are those of the verdicts that decided."""
    names = [verdict.name for verdict in verdicts]
    decided: VerdictName = "undecided" if "undecided" in names else "pass"
    decided = "fail" if "fail" in names else decided
    return Verdict(
        decided,
        tuple(criterion for verdict in verdicts for criterion in verdict.criteria),
        tuple(says for verdict in verdicts if verdict.name == decided for says in verdict.reasons),
    )


def _judge_rows(asked: Sequence[tuple[Slo, int | None]], rows: Rows, level: float) -> Verdict:
    tally = as_tally(rows)
    return all_of(
        [_sure(slo, criterion(slo, bound, tally), rows, bound, level) for slo, bound in asked]
    )


def _sure(
    slo: Slo, said: Criterion, rows: Rows, tightest_ns: int | None, level: float
) -> Criterion:
    """The criterion with what can be said at this level."""
    estimated = estimate(slo, rows, tightest_ns, level)
    verdict = told(estimated)
    if slo.kind == "errors" and verdict == "fail" and not _surely(slo, rows, level):
        verdict = "undecided"
    return replace(
        said, verdict=verdict, estimate=estimated, says=f"{said.says} ({_range(estimated)})"
    )


def _surely(slo: Slo, rows: Rows, level: float) -> bool:
    """Whether it fails as well if every unfinished arrival still succeeds."""
    kind = np.where(rows.outcome == UNFINISHED, OK, rows.outcome)
    hopeful = replace(rows, outcome=kind)
    return told(estimate(slo, hopeful, None, level)) == "fail"


def _range(estimated: Estimate) -> str:
    return (
        f"{percent(estimated.lower)} to {percent(estimated.upper)} of arrivals are bad, "
        f"{percent(estimated.allowed)} may be"
    )


def _undecided(criteria: Sequence[Criterion]) -> tuple[Criterion, ...]:
    return tuple(replace(criterion, verdict="undecided") for criterion in criteria)


def _flow(hold: Hold) -> tuple[int, int]:
    """In flight at the look, and completions until then. What began before has ended by then."""
    ended = int(np.count_nonzero(_ended_by(hold)))
    return len(hold.rows) - ended, ended + hold.in_flight_start


def _ended_by(hold: Hold) -> Flags:
    flags: Flags = (hold.rows.ended_ns <= hold.until_ns) & (hold.rows.outcome != UNFINISHED)
    return flags


def _outran(hold: Hold) -> str:
    end, _ = _flow(hold)
    return (
        f"arrivals outran completions: {counted(hold.in_flight_start)} in flight became "
        f"{counted(end)} within {counted(len(hold.rows))} arrivals"
    )
