"""What a load beside it does to an endpoint, over repeats.

    throughput ratio = ok answers a second under load / alone
    p99 ratio        = p99 of the response time under load / alone

Both are given as lowest, median and highest of the repeats. Neither is given where the generator
was not fit: what it could not send, the endpoint was not asked for.
"""

from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from breakstep.analysis.trust import trust_of
from breakstep.model.interfere import Interference, Pair, Range
from breakstep.model.record import Check, StepRecord, Trust

KEPT = 0.9
"""Below this share of its throughput, or beyond its inverse in p99, the endpoint is harmed."""
INVALID, INTERRUPTED, NOTHING = (
    "the generator was not fit to measure: see the checks",
    "it was interrupted before the first pair was complete",
    "nothing was answered with success",
)


def interference(pairs: Sequence[Pair], *, interrupted: bool) -> Interference:
    """The ratios of complete pairs, or why they are withheld."""
    trust = _trust(pairs)
    why = _withheld(pairs, trust)
    throughput = [ok_per_s(p.under_load) / ok_per_s(p.alone) for p in pairs] if not why else []
    tails = [_p99(p.under_load) / _p99(p.alone) for p in pairs if _answered(p)] if not why else []
    complete = len(tails) == len(pairs)
    return Interference(
        pairs=tuple(pairs),
        throughput_ratio=_range(throughput),
        p99_ratio=_range(tails) if complete else None,
        trust=trust,
        why=why or ("" if complete else f"under load {NOTHING} in one of the repeats"),
        interrupted=interrupted,
    )


def harms(throughput: float | None, tail: float | None) -> bool:
    """Whether either ratio is beyond what chance does.

    >>> harms(0.95, 1.05), harms(0.95, 2.0)
    (False, True)
    """
    return (throughput is not None and throughput < KEPT) or (tail is not None and tail > 1 / KEPT)


def ok_per_s(step: StepRecord) -> float:
    """Its ok answers, a second of its window."""
    length_s = step.window_to - step.window_from
    return step.ok / length_s if length_s > 0.0 else 0.0


def _withheld(pairs: Sequence[Pair], trust: Trust) -> str:
    if not pairs:
        return INTERRUPTED
    if trust.verdict == "invalid":
        return INVALID
    return NOTHING if any(ok_per_s(pair.alone) == 0.0 for pair in pairs) else ""


def _answered(pair: Pair) -> bool:
    return bool(pair.under_load.response_ms.p99 and pair.alone.response_ms.p99)


def _p99(step: StepRecord) -> float:
    return step.response_ms.p99 or 0.0


def _range(values: Sequence[float]) -> Range | None:
    return (min(values), median(values), max(values)) if values else None


def _trust(pairs: Sequence[Pair]) -> Trust:
    """The worst of each check, over all that was measured."""
    order = ("trusted", "noisy", "invalid")
    worst: dict[str, Check] = {}
    for pair in pairs:
        for where, step in (("alone", pair.alone), ("under load", pair.under_load)):
            for check in step.trust.checks:
                known = worst.get(check.name)
                if known is None or order.index(check.verdict) > order.index(known.verdict):
                    says = check.says if check.verdict == "trusted" else f"{where}, {check.says}"
                    worst[check.name] = replace(check, says=says)
    return trust_of(list(worst.values()))
