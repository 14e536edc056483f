"""Whether one version of a service is slower than another, from blocks of load on each in turn.

The unit is a pair: a block on each version, one right after the other, with the same arrivals. What
drifts slowly is on both sides of a pair, and what the pairs differ by is the noise of this place
and hour, whatever it comes from: it is what the change is measured with.

    x_i            of pair i, head − base: of ln(typical), of ln(tail), of the share of bad arrivals
    x̄, s           their mean and standard deviation over n pairs
    lower          x̄ − t(n−1, 1−a)·s/√n        one-sided, a = FALSE_ALARM / measures
    upper          x̄ + t(n−1, 1−b)·s/√n        one-sided, b = OVERLOOKED

    fail        a lower bound is beyond what is ignored: a third of the loss, a point of arrivals
    pass        none is, and the typical time is surely less than the loss slower
    undecided   neither: the noise would hide a loss

`typical` is the geometric mean of response times, which one request that takes seconds hardly
moves, `tail` a high quantile. Only the typical time is asked to be known well: a tail is not, in
a minute. The rates of error are in docs/check.md.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, expm1, log, sqrt

import numpy as np

from breakstep.analysis.distributions import student_quantile
from breakstep.analysis.rows import Rows
from breakstep.analysis.words import percent, signed_percent
from breakstep.model.check import BAD, Block, Comparison, Difference, Side
from breakstep.model.record import VerdictName
from breakstep.model.slo import QUANTILES, Slo, quantile_name
from breakstep.model.units import NS_PER_MS, format_duration

FALSE_ALARM = 0.01
OVERLOOKED = 0.05
IGNORED = 1.0 / 3.0
"""Of the loss; a slowdown up to so much is nobody's alarm."""
BAD_IGNORED = 0.01
PAIRS_MIN = 4
MEASURES = 3
DEFAULT_TAIL = 0.95
TAIL_MIN = 10.0
"""Arrivals of a block beyond its tail quantile."""


@dataclass(frozen=True, slots=True)
class _Measured:
    """Pairs of one measure: differences, and the means of both sides."""

    name: str
    differences: Sequence[float]
    base: float
    head: float


def block_of(
    rows: Rows, pair: int, side: Side, quantile: float, bound_ns: int | None = None
) -> Block:
    """What a comparison needs of a hold; an arrival over the bound is bad, too."""
    times_ns = rows.response_ns
    ok_ms = np.sort(times_ns[np.isfinite(times_ns)]) / NS_PER_MS
    good = np.count_nonzero(np.isfinite(times_ns) if bound_ns is None else times_ns <= bound_ns)
    return Block(
        pair=pair,
        side=side,
        arrivals=len(rows),
        typical_ms=float(np.exp(np.log(ok_ms).mean())) if len(ok_ms) else None,
        tail_ms=float(np.quantile(ok_ms, quantile, method="inverted_cdf")) if len(ok_ms) else None,
        bad_share=1.0 - int(good) / max(1, len(rows)),
    )


def tail_quantile(slos: Sequence[Slo], arrivals: float) -> float:
    """The strictest quantile that the SLOs name, p95 without any, as far as a block can tell it.

    >>> tail_quantile((), 1_000.0), tail_quantile((), 60.0)
    (0.95, 0.75)
    """
    asked = max((slo.quantile for slo in slos if slo.kind == "latency"), default=DEFAULT_TAIL)
    known = [q for q in QUANTILES.values() if q <= asked and arrivals * (1.0 - q) >= TAIL_MIN]
    return max(known, default=min(QUANTILES.values()))


def compare(blocks: Sequence[Block], loss: float, quantile: float) -> Comparison:
    """Head against base; blocks without a partner take no part."""
    pairs = paired(blocks)
    if len(pairs) < PAIRS_MIN:
        few = f"only {len(pairs)} pairs of blocks were measured, and it takes {PAIRS_MIN}"
        return Comparison("undecided", len(pairs), loss, (), (few,), tuple(blocks))
    measures = (
        _times(pairs, "typical", lambda block: block.typical_ms),
        _times(pairs, quantile_name(quantile), lambda block: block.tail_ms),
        _shares(pairs),
    )
    found = [_difference(one, loss) for one in measures if one is not None]
    verdict = _verdict(found, loss)
    said = [one for one in found if one.verdict == verdict] or found[:1]
    reasons = tuple(one.says for one in said)
    return Comparison(verdict, len(pairs), loss, tuple(found), reasons, tuple(blocks))


def paired(blocks: Sequence[Block]) -> list[tuple[Block, Block]]:
    """Base and head of each pair that has both."""
    base = {block.pair: block for block in blocks if block.side == "base"}
    head = {block.pair: block for block in blocks if block.side == "head"}
    return [(base[pair], head[pair]) for pair in sorted(base.keys() & head.keys())]


def _times(
    pairs: Sequence[tuple[Block, Block]], name: str, of: Callable[[Block], float | None]
) -> _Measured | None:
    """None where a block had no ok arrival: its share of bad ones says so."""
    logs = [
        (log(base), log(head))
        for base, head in ((of(base), of(head)) for base, head in pairs)
        if base and head
    ]
    if len(logs) < len(pairs):
        return None
    base, head = (exp(sum(side) / len(logs)) for side in zip(*logs, strict=True))
    return _Measured(name, [h - b for b, h in logs], base, head)


def _shares(pairs: Sequence[tuple[Block, Block]]) -> _Measured:
    base = [base.bad_share for base, _ in pairs]
    head = [head.bad_share for _, head in pairs]
    differences = [h - b for b, h in zip(base, head, strict=True)]
    return _Measured(BAD, differences, sum(base) / len(base), sum(head) / len(head))


def _difference(measured: _Measured, loss: float) -> Difference:
    mean, lower, upper = _bounds(measured.differences)
    if measured.name == BAD:
        limit, says = BAD_IGNORED, _bad_says(measured, lower, upper)
    else:
        mean, lower, upper = (expm1(value) for value in (mean, lower, upper))
        limit, says = IGNORED * loss, _time_says(measured, mean, (lower, upper))
    verdict: VerdictName = "fail" if lower > limit else "pass"
    if measured.name == "typical" and verdict == "pass" and upper >= loss:
        verdict = "undecided"
    return Difference(
        measured.name, measured.base, measured.head, mean, lower, upper, limit, verdict, says
    )


def _bounds(differences: Sequence[float]) -> tuple[float, float, float]:
    """Mean, lower and upper bound."""
    count, mean = len(differences), float(np.mean(differences))
    error = float(np.std(differences, ddof=1)) / sqrt(count)
    below = student_quantile(count - 1, 1.0 - FALSE_ALARM / MEASURES)
    above = student_quantile(count - 1, 1.0 - OVERLOOKED)
    return mean, mean - below * error, mean + above * error


def _verdict(found: Sequence[Difference], loss: float) -> VerdictName:
    names = [one.verdict for one in found]
    if "fail" in names:
        return "fail"
    known = any(one.measure == "typical" and one.upper < loss for one in found)
    return "pass" if known else "undecided"


def _time_says(measured: _Measured, change: float, bounds: tuple[float, float]) -> str:
    base, head = (format_duration(value * NS_PER_MS) for value in (measured.base, measured.head))
    what = "a typical response took" if measured.name == "typical" else f"{measured.name} was"
    return f"{what} {base} before and {head} now: {signed_percent(change)} ({_range(*bounds)})"


def _bad_says(measured: _Measured, lower: float, upper: float) -> str:
    base, head = percent(measured.base), percent(measured.head)
    return f"{base} of arrivals were bad before and {head} now ({_range(lower, upper)} of all)"


def _range(lower: float, upper: float) -> str:
    return f"{signed_percent(lower)} to {signed_percent(upper)}"
