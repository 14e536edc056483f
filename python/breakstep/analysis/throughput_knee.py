"""The knee of a closed sweep: the fewest users that bring all the throughput there is.

    X(N)   completed requests a second with N users
    knee = min { N : X(N) ≥ 0.95 · max X }

More users than that only wait longer: R = N/X − Z grows with N once X stands still. If the highest
level itself is the first within a twentieth of the most, throughput was still growing, and there is
no knee yet.
"""

from collections.abc import Sequence

from breakstep.model.sweep import Level, ThroughputKnee
from breakstep.model.units import NS_PER_MS, format_duration, format_rate

NEAR = 0.95


def throughput_knee(levels: Sequence[Level]) -> ThroughputKnee:
    """The knee over the usable levels, and what it rests on, in sentences."""
    usable = sorted(
        (level for level in levels if level.unusable is None), key=lambda level: level.concurrency
    )
    if not usable:
        return ThroughputKnee(None, None, None, None, ("no level could be used",))
    most = max(usable, key=lambda level: level.completed_per_s)
    first = next(x for x in usable if x.completed_per_s >= NEAR * most.completed_per_s)
    if first is usable[-1]:
        reasons = (_growing(usable),)
        return ThroughputKnee(None, None, most.completed_per_s, most.concurrency, reasons)
    return ThroughputKnee(
        first.concurrency,
        first.completed_per_s,
        most.completed_per_s,
        most.concurrency,
        (_within(first, most), _price(first, usable[-1])),
    )


def _growing(usable: Sequence[Level]) -> str:
    last = usable[-1]
    if len(usable) == 1:
        return f"only the level of {users(last.concurrency)} could be used"
    return (
        f"throughput still grew at {users(last.concurrency)}, the highest level that could be "
        f"used: {_rate(usable[-2])} with {usable[-2].concurrency}, {_rate(last)} with "
        f"{last.concurrency}"
    )


def _within(first: Level, most: Level) -> str:
    if first is most:
        return f"{_rate(first)} with {users(first.concurrency)} is the most that any level reached"
    return (
        f"{_rate(first)} with {users(first.concurrency)} is within 5 % of the most, "
        f"{_rate(most)} with {most.concurrency}"
    )


def _price(first: Level, last: Level) -> str:
    change = last.completed_per_s / first.completed_per_s - 1.0
    size = f"{abs(100 * change):.1f} %"
    moved = "the same" if size == "0.0 %" else f"{size} {'higher' if change > 0.0 else 'lower'}"
    text = f"with {last.concurrency} throughput is {moved}"
    before, after = first.response_ms.p99, last.response_ms.p99
    if not before or not after:
        return text
    p99s = tuple(format_duration(value * NS_PER_MS) for value in (before, after))
    return f"{text}, and p99 {after / before:.1f} times as long: {p99s[0]}, then {p99s[1]}"


def users(count: int) -> str:
    """So many users, in words.

    >>> users(1), users(8)
    ('1 user', '8 users')
    """
    return "1 user" if count == 1 else f"{count} users"


def _rate(level: Level) -> str:
    return f"{format_rate(level.completed_per_s)}/s"
