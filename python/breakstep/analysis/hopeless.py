"""Whether a step can no longer pass in its own window, so that holding on would only do harm.

Two grounds, both on this hold alone:

* it has more bad arrivals than the whole hold may have. Besides those that ended badly there are
  arrivals in flight: of n due in the hold and unfinished, at most the arrivals of the last T are
  younger than a bound T, and the others are over it already;
* the backlog, at the rate completions come, needs longer than the timeout, so that whoever
  arrives now is not answered in time.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt

from breakstep.analysis.measured import Tally
from breakstep.analysis.verdict import allowance, bound_of, tightest_bound_ns, within
from breakstep.analysis.words import counted
from breakstep.model.record import Verdict
from breakstep.model.slo import Slo
from breakstep.model.units import NS_PER_S, format_duration, format_rate

SEEN_AT_LEAST_NS = NS_PER_S
SEEN_AT_LEAST_SHARE = 0.10
# Poisson counts stray from their mean; three standard deviations are given away.
STRAY = 3.0


@dataclass(frozen=True, slots=True)
class HoldSoFar:
    """A hold under way.

    `tally` has the arrivals due in the hold until now; `in_flight` is read after it, or an
    arrival could count twice. `in_flight_start` is the number in flight when the hold began,
    `completed_per_s` the rate of complete responses lately.
    """

    tally: Tally
    rate_per_s: float
    seen_ns: int
    hold_ns: int
    in_flight_start: int
    in_flight: int
    completed_per_s: float
    timeout_ns: int


def hopeless(slos: Sequence[Slo], hold: HoldSoFar) -> str | None:
    """Why the step cannot pass any more, or None. Never before 1 s and a tenth of the hold."""
    if hold.seen_ns < max(SEEN_AT_LEAST_NS, SEEN_AT_LEAST_SHARE * hold.hold_ns):
        return None
    # The tally does not tell requests apart: an SLO that names one waits for the end of the hold.
    general = [slo for slo in slos if slo.request is None]
    tightest_ns = tightest_bound_ns(general)
    for slo in general:
        if reason := _allowance_spent(slo, bound_of(slo, tightest_ns), hold):
            return reason
    return _backlog_beyond_timeout(hold)


def apply_cut(verdict: Verdict, cut_short: str | None) -> Verdict:
    """The verdict; one that passed only because its load was ended early fails for that reason."""
    if cut_short is None or verdict.name != "pass":
        return verdict
    return replace(verdict, name="fail", reasons=(cut_short,))


def _allowance_spent(slo: Slo, bound_ns: int | None, hold: HoldSoFar) -> str | None:
    planned = hold.rate_per_s * hold.hold_ns / NS_PER_S
    allowed = allowance(slo, planned + STRAY * sqrt(planned))
    bad = _bad_so_far(hold.tally, bound_ns) + _overdue(hold, bound_ns)
    if bad <= allowed:
        return None
    return (
        f"{slo} was out of reach after {format_duration(hold.seen_ns)}: {counted(bad)} arrivals "
        f"were bad already, more than the {counted(allowed)} it may have in the whole "
        f"{format_duration(hold.hold_ns)}"
    )


def _bad_so_far(tally: Tally, bound_ns: int | None) -> int:
    ended = sum(tally.outcomes.values())
    return ended - within(tally, bound_ns)


def _overdue(hold: HoldSoFar, bound_ns: int | None) -> int:
    """At least so many of the hold's arrivals are in flight for longer than the bound."""
    if bound_ns is None:
        return 0
    young = hold.rate_per_s * bound_ns / NS_PER_S
    return max(0, int(hold.in_flight - hold.in_flight_start - young - STRAY * sqrt(young) - 1))


def _backlog_beyond_timeout(hold: HoldSoFar) -> str | None:
    if hold.completed_per_s <= 0.0:
        return None
    wait_ns = hold.in_flight / hold.completed_per_s * NS_PER_S
    if wait_ns <= hold.timeout_ns:
        return None
    return (
        f"{counted(hold.in_flight)} arrivals in flight need {format_duration(wait_ns)} at "
        f"{format_rate(hold.completed_per_s)} completions a second, longer than the timeout of "
        f"{format_duration(hold.timeout_ns)}"
    )
