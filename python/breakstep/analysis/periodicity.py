"""Whether late events come at a fixed second: every second, five, ten, … or five minutes.

For a period P each event has a phase φ = 2πt/P on the wall clock. If the phases are evenly spread,

    R̄ = |Σ e^{iφ}| / m        p ≈ exp(−m·R̄²)        (Rayleigh), m events

Seven periods are tried, so p must be below 0.01/7. Events close together are one: they are
declustered first, a new event beginning after a quiet time of a quarter of the period, at most a
second. A noise without pause is then a single event, and has no period.

An event that recurs each minute also recurs each half, so of the periods found the longest is the
answer; a noise of five seconds leaves no trace in ten, where its phases cancel.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from breakstep.model.record import Check
from breakstep.model.units import NS_PER_S

if TYPE_CHECKING:
    from numpy.typing import NDArray

PERIODS_S = (1, 5, 10, 15, 30, 60, 300)
PERIODS_SEEN = 5
EVENTS_MIN = 20
SIGNIFICANCE = 0.01 / len(PERIODS_S)
_MINUTE_S = 60


@dataclass(frozen=True, slots=True)
class Periodicity:
    """A period, s, and the second within it around which the events lie; `chance` is p."""

    period_s: int
    phase_s: float
    events: int
    concentration: float
    chance: float

    def says(self) -> str:
        """When it happens: `at second :00 of each minute`."""
        whole = round(self.phase_s) % self.period_s
        if self.period_s == _MINUTE_S:
            return f"at second :{whole:02d} of each minute"
        if self.period_s > _MINUTE_S:
            minute, second = divmod(whole, _MINUTE_S)
            return f"every {self.period_s // _MINUTE_S} minutes, at {minute}:{second:02d}"
        if self.period_s == 1:
            return f"each second, {1000 * (self.phase_s % 1.0):.0f} ms after its start"
        every = range(whole, _MINUTE_S, self.period_s)
        named = ", ".join(f":{second:02d}" for second in list(every)[:3])
        return f"every {self.period_s} s, at second {named}, …"


def find_period(events_wall_ns: "NDArray[np.int64]", watched_ns: int) -> Periodicity | None:
    """The longest period that the events keep, or None. Instants are ns since 1970, any order."""
    found = (rayleigh(events_wall_ns, period_s) for period_s in observable(watched_ns))
    kept = [one for one in found if one is not None and one.chance < SIGNIFICANCE]
    return kept[-1] if kept else None


def observable(watched_ns: int) -> tuple[int, ...]:
    """The periods that were seen at least five times, s."""
    return tuple(p for p in PERIODS_S if watched_ns >= PERIODS_SEEN * p * NS_PER_S)


def rayleigh(events_wall_ns: "NDArray[np.int64]", period_s: int) -> Periodicity | None:
    """How the events lie within a period; None for fewer than 20 of them."""
    starts_ns = decluster(events_wall_ns, min(NS_PER_S, period_s * NS_PER_S // 4))
    if len(starts_ns) < EVENTS_MIN:
        return None
    period_ns = period_s * NS_PER_S
    # The remainder first: a double does not hold the nanoseconds since 1970.
    phases = 2.0 * np.pi * (starts_ns % period_ns) / period_ns
    resultant = complex(np.exp(1j * phases).mean())
    phase_s = float(np.angle(resultant)) / (2.0 * np.pi) * period_s % period_s
    length = abs(resultant)
    chance = float(np.exp(-len(starts_ns) * length**2))
    return Periodicity(period_s, phase_s, len(starts_ns), length, chance)


def decluster(events_ns: "NDArray[np.int64]", quiet_ns: int) -> "NDArray[np.int64]":
    """The first event of each cluster; a cluster ends with a quiet time of `quiet_ns`."""
    ordered = np.sort(events_ns)
    fresh = np.diff(ordered, prepend=ordered[:1] - quiet_ns) >= quiet_ns
    return ordered[fresh]


def by_second(events_wall_ns: "NDArray[np.int64]") -> "NDArray[np.int64]":
    """Events by second of the minute: 60 counts."""
    seconds = events_wall_ns // NS_PER_S % _MINUTE_S
    return np.bincount(seconds, minlength=_MINUTE_S).astype(np.int64)


def watched_by_second(began_wall_ns: int, watched_ns: int) -> tuple[float, ...]:
    """How many seconds of the watch fell into each second of the minute: 60 numbers.

    >>> watched_by_second(59 * NS_PER_S, 62 * NS_PER_S)[:3]
    (2.0, 1.0, 1.0)
    """
    edges_ns = np.arange(_MINUTE_S) * NS_PER_S
    turn_ns = _MINUTE_S * NS_PER_S

    def until(at_ns: int) -> "NDArray[np.float64]":
        """Time in each second of the minute from the start of a minute to `at_ns` after it."""
        turns, rest_ns = divmod(at_ns, turn_ns)
        return turns + np.clip((rest_ns - edges_ns) / NS_PER_S, 0.0, 1.0)

    from_ns = began_wall_ns % turn_ns
    return tuple(map(float, until(from_ns + watched_ns) - until(from_ns)))


def periodicity_check(found: Periodicity | None) -> Check:
    """Noise that keeps a period can be named, and avoided."""
    if found is None:
        return Check("periodicity", None, SIGNIFICANCE, "trusted", "late wake-ups keep no period")
    says = (
        f"late wake-ups come {found.says()} ({found.events} of them): look for a timer or cron "
        "job that runs then, here or on the host"
    )
    return Check("periodicity", found.chance, SIGNIFICANCE, "noisy", says)
