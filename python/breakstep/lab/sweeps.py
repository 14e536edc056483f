"""Truths and readings of closed sweeps: what users, throughput and waiting have to do together."""

from collections.abc import Callable, Sequence

from breakstep.analysis.words import percent
from breakstep.lab.experiment import Found, Held, Measured, Truth
from breakstep.model.sweep import Level
from breakstep.model.units import format_rate
from breakstep.store.sweep_json import sweep_of

_Judge = Callable[[Sequence[Level]], Held]


def little(key: str, *, within: float) -> Truth:
    """L = λ · W at every level: users in the system, throughput, response time."""

    def judge(levels: Sequence[Level]) -> Held:
        worst = max(level.laws.little_error or 0.0 for level in levels)
        return Held(worst <= within, f"at worst {percent(worst)} off, of {len(levels)} levels")

    return _of(key, f"{key}: W = L/λ within {percent(within)} at every level", judge)


def flat(key: str, *, within: float) -> Truth:
    """More users bring no more throughput, from the first level on."""

    def judge(levels: Sequence[Level]) -> Held:
        rates = [level.completed_per_s for level in levels]
        spread = max(rates) / min(rates) - 1.0
        return Held(spread <= within, f"{format_rate(min(rates))} to {format_rate(max(rates))}/s")

    return _of(key, f"{key}: the same throughput within {percent(within)} at every level", judge)


def flattens(key: str, *, to_below: float) -> Truth:
    """The last doubling of users brings next to nothing, while waiting about doubles."""

    def judge(levels: Sequence[Level]) -> Held:
        before, last = levels[-2], levels[-1]
        more = last.completed_per_s / before.completed_per_s
        slower = (last.response_ms.mean or 0.0) / (before.response_ms.mean or 1.0)
        return Held(
            more <= to_below and slower > more,
            f"{last.concurrency} users: {more:.2f} × the throughput of {before.concurrency}, "
            f"{slower:.2f} × the response time",
        )

    claim = f"{key}: at the end, twice the users bring at most {to_below:g} × the throughput"
    return _of(key, claim, judge)


def levels_of(measured: Measured) -> Sequence[Level]:
    """The levels of a sweep; none where there was none."""
    return () if measured.result is None else sweep_of(measured.result).levels


def level_of(measured: Measured, users: int) -> Level:
    """The level with this many users. Raises StopIteration where it is missing."""
    return next(level for level in levels_of(measured) if level.concurrency == users)


def level_per_s(measured: Measured, users: int) -> str:
    """The throughput of a level, as a figure."""
    return f"{format_rate(level_of(measured, users).completed_per_s)}/s"


def _of(key: str, says: str, judge: _Judge) -> Truth:
    def judged(found: Found) -> Held:
        levels = levels_of(found[key])
        reasons = [
            f"{level.concurrency} users: {level.unusable}" for level in levels if level.unusable
        ]
        if reasons or not levels:
            return Held(None, "; ".join(reasons) or "no level was measured")
        return judge(levels)

    return Truth(says, (key,), judged)
