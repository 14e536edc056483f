"""What a step's own window says about its load: each SLO, then all of them together.

Every SLO is a bound on a share of *bad* arrivals, so that failures need no invented latency:

    bad for `latency`: not ok, or its response time is over the bound;  at most 1 − q of arrivals
    bad for `errors`:  not ok;                                          at most the share
    bad for `goodput`: not ok, or over the tightest latency bound;      at most 1 − the share

An SLO that names a request is a bound on the arrivals that performed it. The tightest bound for
these is the shortest of those that hold for them: their own, and those of all arrivals.

The rule compares the measured share itself; it does not say how sure it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import floor
from types import MappingProxyType

from breakstep.analysis.measured import Tally
from breakstep.analysis.words import percent, told_apart
from breakstep.model.record import Criterion, Verdict, VerdictName
from breakstep.model.slo import Slo, quantile_name
from breakstep.model.units import NS_PER_MS, format_duration

# 1 − 0.9 is a hair below 0.1, and ten arrivals of which one is bad must still pass.
_ROUNDING = 1e-9


def judge(
    slos: Sequence[Slo], tally: Tally, by_request: Mapping[str, Tally] = MappingProxyType({})
) -> Verdict:
    """Passes only if every SLO holds; undecided when nothing arrived.

    Tallies must be complete: an arrival without an outcome counts as bad. `by_request` has those of
    the requests that SLOs name.
    """
    if tally.arrivals == 0:
        return Verdict("undecided", reasons=(nothing_due(None),))
    criteria = []
    for slo in slos:
        about = tally if slo.request is None else by_request[slo.request]
        criteria.append(criterion(slo, tightest_for(slos, slo.request), about))
    return all_of(criteria)


def all_of(criteria: Sequence[Criterion]) -> Verdict:
    """Fails if one does, passes if all do; the reasons are those of the criteria that decided."""
    names = [criterion.verdict for criterion in criteria]
    for name in ("fail", "undecided"):
        if name in names:
            reasons = tuple(c.says for c in criteria if c.verdict == name)
            return Verdict(name, tuple(criteria), reasons)
    return Verdict("pass", tuple(criteria), tuple(c.says for c in criteria))


def nothing_due(request: str | None) -> str:
    """What is said of a window in which no arrival was due."""
    return f"no arrival {'' if request is None else f'of {request} '}was due in the window"


def tightest_for(slos: Sequence[Slo], request: str | None) -> int | None:
    """The tightest bound for the arrivals of a request, None for all: what is good of them."""
    return tightest_bound_ns([slo for slo in slos if slo.request in (None, request)])


def tightest_bound_ns(slos: Sequence[Slo]) -> int | None:
    """The shortest latency bound: a response within it is a good one. None without any."""
    return min((slo.bound_ns for slo in slos if slo.kind == "latency"), default=None)


def allowed_share(slo: Slo) -> float:
    """The share of arrivals that may be bad for this SLO."""
    return {
        "latency": 1.0 - slo.quantile,
        "errors": slo.share,
        "goodput": 1.0 - slo.share,
    }[slo.kind]


def allowance(slo: Slo, arrivals: float) -> int:
    """How many of so many arrivals may be bad for this SLO.

    >>> allowance(Slo("latency", quantile=0.9, bound_ns=1), 10)
    1
    """
    return floor(allowed_share(slo) * arrivals + _ROUNDING)


def bound_of(slo: Slo, tightest_ns: int | None) -> int | None:
    """The response time beyond which an ok arrival is bad for this SLO; None if there is none."""
    return {"latency": slo.bound_ns, "errors": None, "goodput": tightest_ns}[slo.kind]


def within(tally: Tally, bound_ns: int | None) -> int:
    """The ok arrivals whose response time is at most the bound."""
    ok = tally.histogram("ok")
    return ok.count if bound_ns is None else ok.count_at_or_below(bound_ns)


def criterion(slo: Slo, tightest_ns: int | None, tally: Tally) -> Criterion:
    """One SLO against the arrivals that it is about."""
    if tally.arrivals == 0:
        limit = slo.bound_ns / NS_PER_MS if slo.kind == "latency" else slo.share
        return Criterion(str(slo), None, limit, "undecided", nothing_due(slo.request))
    found = _judged(slo, tightest_ns, tally)
    return found if slo.request is None else replace(found, says=f"{slo.request}: {found.says}")


def _judged(slo: Slo, tightest_ns: int | None, tally: Tally) -> Criterion:
    bad = tally.arrivals - within(tally, bound_of(slo, tightest_ns))
    verdict: VerdictName = "pass" if bad <= allowance(slo, tally.arrivals) else "fail"
    if slo.kind == "latency":
        return _latency(slo, verdict, tally)
    return _share(slo, verdict, bad / tally.arrivals, tightest_ns)


def _latency(slo: Slo, verdict: VerdictName, tally: Tally) -> Criterion:
    limit_ms = slo.bound_ns / NS_PER_MS
    name = quantile_name(slo.quantile)
    value_ns = _quantile_over_all_ns(slo, tally)
    if value_ns is None:
        failed = 1.0 - tally.histogram("ok").count / tally.arrivals
        says = (
            f"{name} was beyond any time: {percent(failed)} of arrivals failed, and at most "
            f"{percent(allowed_share(slo))} may fail or take longer than "
            f"{format_duration(slo.bound_ns)}"
        )
        return Criterion(str(slo), None, limit_ms, verdict, says)
    value, bound = told_apart(value_ns, slo.bound_ns)
    word = "within" if verdict == "pass" else "above"
    says = f"{name} was {value}, {word} {bound}"
    return Criterion(str(slo), value_ns / NS_PER_MS, limit_ms, verdict, says)


def _quantile_over_all_ns(slo: Slo, tally: Tally) -> int | None:
    """The quantile with failed arrivals as infinitely slow; None when it falls among them.

    The rank is the one the verdict counts by, so that the value is over the bound exactly when
    the SLO is missed. Half a rank less keeps the share from being rounded up to the next rank.
    """
    ok = tally.histogram("ok")
    rank = max(1, tally.arrivals - allowance(slo, tally.arrivals))
    return ok.quantile_ns((rank - 0.5) / ok.count) if rank <= ok.count else None


def _share(slo: Slo, verdict: VerdictName, bad: float, tightest_ns: int | None) -> Criterion:
    if slo.kind == "errors":
        word = "within" if verdict == "pass" else "above"
        says = f"{percent(bad)} of arrivals failed, {word} {percent(slo.share)}"
        return Criterion(str(slo), bad, slo.share, verdict, says)
    word = "at least" if verdict == "pass" else "below"
    of = "" if tightest_ns is None else f" within {format_duration(tightest_ns)}"
    says = f"{percent(1.0 - bad)} of arrivals succeeded{of}, {word} {percent(slo.share)}"
    return Criterion(str(slo), 1.0 - bad, slo.share, verdict, says)
