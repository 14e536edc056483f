"""Truths and readings of closed sweeps: what users, throughput and waiting have to do together."""

from collections.abc import Callable, Sequence

from breakstep.analysis.throughput_knee import throughput_knee
from breakstep.analysis.words import percent
from breakstep.lab.experiment import Found, Held, Measured, Truth
from breakstep.model.sweep import Level
from breakstep.model.units import format_rate
from breakstep.store.sweep_json import sweep_of

_Judge = Callable[[Sequence[Level]], Held]


def little(key: str, *, within: float) -> Truth:
    """L = λ · W at every level: users in the system, throughput, response time.

    A pause of all that lasts for a share of the window moves the sides apart by up to that share,
    when it lies at an edge: what such a pause explains is no miss, and is measured again.
    """

    def judge(levels: Sequence[Level]) -> Held:
        worst = max(levels, key=lambda level: level.laws.little_error or 0.0)
        error, pause = worst.laws.little_error or 0.0, _longest_share(worst)
        says = f"at worst {percent(error)} off, of {len(levels)} levels"
        if error > within and pause >= error:
            paused = f"one response took {percent(pause)} of the window"
            return Held(None, f"{says}, with {worst.concurrency} users, where {paused}")
        return Held(error <= within, says)

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


def longer(key: str, *, at_least: float) -> Truth:
    """From the knee to the most users p99 grows by so much, though throughput does not."""

    def judge(levels: Sequence[Level]) -> Held:
        times = _longer(levels)
        if times is None:
            return Held(None, "throughput was still growing at the last level: there is no knee")
        return Held(times >= at_least, f"{times:.3g} times as long")

    claim = f"{key}: from the knee to the most users p99 becomes at least {at_least:g} times longer"
    return _of(key, claim, judge)


def longer_text(measured: Measured) -> str:
    """By how much p99 grew from the knee to the most users, as a figure."""
    times = _longer(levels_of(measured))
    return "no knee" if times is None else f"{times:.3g} times as long"


def knee_at(measured: Measured) -> str:
    """The users at the knee, as a figure."""
    users = throughput_knee(list(levels_of(measured))).concurrency
    return "not reached" if users is None else str(users)


def worst_little(measured: Measured) -> str:
    """How far W = L/λ is off at worst, as a figure."""
    errors = [level.laws.little_error or 0.0 for level in levels_of(measured)]
    return f"within {percent(max(errors))}" if errors else "not measured"


def levels_of(measured: Measured) -> Sequence[Level]:
    """The levels of a sweep; none where there was none."""
    return () if measured.result is None else sweep_of(measured.result).levels


def level_of(measured: Measured, users: int) -> Level:
    """The level with this many users. Raises StopIteration where it is missing."""
    return next(level for level in levels_of(measured) if level.concurrency == users)


def level_per_s(measured: Measured, users: int) -> str:
    """The throughput of a level, as a figure."""
    return f"{format_rate(level_of(measured, users).completed_per_s)}/s"


def _longest_share(level: Level) -> float:
    """The longest response as a share of the window."""
    window_s = level.window_to - level.window_from
    return (level.response_ms.max or 0.0) / 1000.0 / window_s if window_s > 0.0 else 0.0


def _longer(levels: Sequence[Level]) -> float | None:
    users = throughput_knee(list(levels)).concurrency
    if users is None:
        return None
    at_knee = next(level for level in levels if level.concurrency == users)
    before, after = at_knee.response_ms.p99, levels[-1].response_ms.p99
    return after / before if before and after else None


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
