"""How long to search and how exact the answer will be: said before any load.

With n arrivals before a first look, K looks, width w, a first load λ₀ and the knee guessed at λ:

    ramp     the loads λ₀·1.5ⁱ up to λ          each n/6 arrivals: low loads pass on little
    narrow   2·⌈log₂(ln 1.5 / ln(1 + w))⌉ + 4   each 0.7·n and 0.3 of the full length n·2^(K−1):
                                                some decide at once, some not at all; none of the
                                                four if the search is brief
    confirm  2                                  each of full length

That many arrivals at those rates, none shorter than the shortest hold, and for each step a warm-up
and a second until its last arrivals are handed over.
The interval comes out about 2·w wide. Measured against simulated searches (docs/error-rates.md)
the arrivals are within a third of this in most cells; a service that strays much takes more.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil, log, log2
from types import MappingProxyType

from breakstep.analysis.words import counted, percent
from breakstep.model.plan import Effort, Search
from breakstep.model.units import NS_PER_S, format_duration

SEARCHES: Mapping[Effort, Search] = MappingProxyType(
    {
        "quick": Search(first_look=1_500, looks=2, width=0.10),
        "standard": Search(first_look=20_000, looks=4, width=0.03),
        "strict": Search(first_look=40_000, looks=5, width=0.02),
    }
)
LEISURELY_FROM = 5_000
"""A search whose first look is shorter is brief: it has no time for canaries, for seeing an edge
both ways, or for loads that stay undecided."""
QUICK_UP_TO_NS = 240 * NS_PER_S
STANDARD_UP_TO_NS = 3_600 * NS_PER_S
FIRST_LOOK_MIN = 300
SPOKEN_FROM = 2.0
UP = 1.5
RAMP_PART = 1.0 / 6.0
DECIDED_AT_ONCE = 0.7
SPARE_STEPS = 4
CONFIRMATIONS = 2
WARMUP_RESPONSES = 20
HANDED_OVER_S = 1.0


@dataclass(frozen=True, slots=True)
class Guess:
    """What is known before any load: the first load, a guess of the knee, the times of a step."""

    from_per_s: float
    knee_per_s: float
    warmup_ns: int
    shortest_hold_ns: int


@dataclass(frozen=True, slots=True)
class Spent:
    """What a search took: arrivals, those of warm-ups too, and time."""

    arrivals: int
    duration_ns: int


@dataclass(frozen=True, slots=True)
class Forecast:
    """About what a search will take, and the width of the interval it will give."""

    arrivals: int
    duration_ns: int
    width: float

    def __str__(self) -> str:
        return (
            f"about {_rounded(self.arrivals)} requests in {_spoken(self.duration_ns)}; the "
            f"breaking load will be known to about {percent(self.width)}"
        )


def warmup_ns(planned_ns: int, unloaded_ns: int) -> int:
    """How long a load runs before it is judged: as planned, 20 unloaded responses at least.

    Who plans none gets none.
    """
    return planned_ns and max(planned_ns, WARMUP_RESPONSES * unloaded_ns)


def within_budget(budget_ns: int, guess: Guess) -> Search:
    """The most exact search that is forecast to be over in time; the shortest if none is."""
    search = SEARCHES[_effort_for(budget_ns)]
    if forecast(search, guess).duration_ns <= budget_ns:
        return search
    low, high = FIRST_LOOK_MIN, search.first_look
    while high - low > 1:
        middle = (low + high) // 2
        fits = forecast(replace(search, first_look=middle), guess).duration_ns <= budget_ns
        low, high = (middle, high) if fits else (low, middle)
    return replace(search, first_look=low)


def forecast(search: Search, guess: Guess) -> Forecast:
    """About what the search will take if the knee is where it is guessed."""
    full = search.first_look * 2.0 ** (search.looks - 1)
    steps = [(rate, RAMP_PART * search.first_look) for rate in _ramp(guess)]
    usual = DECIDED_AT_ONCE * search.first_look + (1.0 - DECIDED_AT_ONCE) * full
    spare = SPARE_STEPS if search.first_look >= LEISURELY_FROM else 0
    steps += [(guess.knee_per_s, usual)] * (_halvings(search.width) + spare)
    steps += [(guess.knee_per_s, full)] * CONFIRMATIONS
    shortest_s = guess.shortest_hold_ns / NS_PER_S
    held = [(rate, max(count / rate, shortest_s)) for rate, count in steps]
    warm_s = guess.warmup_ns / NS_PER_S
    arrivals = sum(rate * (hold_s + warm_s) for rate, hold_s in held)
    seconds = sum(hold_s + warm_s + HANDED_OVER_S for _, hold_s in held)
    return Forecast(round(arrivals), round(seconds * NS_PER_S), 2.0 * search.width)


def attained(spent: Spent, width: float | None) -> str:
    """What a search took in the end; `width` is that of the interval, None without one."""
    known = "no breaking load was found"
    if width is not None:
        known = f"the breaking load is known to {percent(width)}"
    return f"{_rounded(spent.arrivals)} requests in {_spoken(spent.duration_ns)}; {known}"


def _rounded(count: int) -> str:
    """Three digits are enough for a count that nobody checks."""
    return counted(round(float(f"{count:.3g}")))


def _spoken(duration_ns: int) -> str:
    """Minutes from two of them on."""
    minutes = duration_ns / (60 * NS_PER_S)
    return format_duration(duration_ns) if minutes < SPOKEN_FROM else f"{minutes:.2g} min"


def _effort_for(budget_ns: int) -> Effort:
    if budget_ns <= QUICK_UP_TO_NS:
        return "quick"
    return "standard" if budget_ns <= STANDARD_UP_TO_NS else "strict"


def _ramp(guess: Guess) -> list[float]:
    """The loads below the knee that a search passes on its way up."""
    climbs = max(0, ceil(log(guess.knee_per_s / guess.from_per_s) / log(UP)))
    return [guess.from_per_s * UP**number for number in range(climbs)]


def _halvings(width: float) -> int:
    """Steps that narrow a gap of 1.5 to the width from both sides."""
    return 2 * max(1, ceil(log2(log(UP) / log(1.0 + width))))
