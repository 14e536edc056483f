"""The loads of a plan: named one by one, by their ends and distance, or left to a search."""

from itertools import pairwise
from typing import cast, get_args

from breakstep.model.plan import Effort, Search, Staircase
from breakstep.model.units import parse_duration, parse_rate
from breakstep.plan.faults import Faults
from breakstep.plan.words import Flags

HOLD_OF_STEPS = "10s"
HOLD_OF_SEARCH = "2s"
WARMUP = "2s"
WARMUP_OF_QUICK = "1s"
REPEAT_OF_EFFORT = 3
STEPS_MAX = 1000
_BOUNDS = ("from_", "to", "by")


def load_of(flags: Flags, faults: Faults) -> Staircase | Search | None:
    """The loads that the flags name, or the search for them."""
    if flags.steps is not None:
        extra = _said(flags, *_BOUNDS, "effort", "budget")
        steps = flags.name("steps")
        faults.together(flags.place("steps"), extra, f"{steps} names every load: leave out")
        rates = faults.of(flags.place("steps"), _rates, flags.steps)
        return None if rates is None else Staircase(rates)
    low, high, by = (
        faults.of(flags.place(word), parse_rate, getattr(flags, word)) for word in _BOUNDS
    )
    if low is not None and high is not None and high < low:
        name = f"{flags.name('to')} {flags.to}"
        faults.clause(flags.place("to"), f"{name} lies below {flags.name('from_')} {flags.from_}")
    if flags.by is None:
        return Search(low, high, *_effort(flags, faults))
    if low is None or high is None or by is None:
        missing = [flags.name(word) for word in _BOUNDS if getattr(flags, word) is None]
        ends = f"{flags.name('from_')} and {flags.name('to')}"
        faults.together(flags.place("by"), missing, f"{flags.name('by')} goes with {ends}: add")
        return None
    return _ladder(flags, (low, high, by), faults)


def duration_above_zero(text: str) -> int:
    """Nanoseconds. Raises ValueError."""
    duration_ns = parse_duration(text)
    if duration_ns == 0:
        raise ValueError(f"{text!r} must be above zero")
    return duration_ns


def default_hold(load: Staircase | Search | None) -> str:
    """The least that fits the load."""
    return HOLD_OF_SEARCH if isinstance(load, Search) else HOLD_OF_STEPS


def default_warmup(load: Staircase | Search | None) -> str:
    """Enough for the effort."""
    quick = isinstance(load, Search) and load.effort == "quick" and load.budget_ns is None
    return WARMUP_OF_QUICK if quick else WARMUP


def default_repeat(load: Staircase | Search | None) -> int:
    """Who asks for an exact answer wants to know how it varies from run to run."""
    exact = isinstance(load, Search) and load.effort != "quick"
    return REPEAT_OF_EFFORT if exact else 1


def _said(flags: Flags, *words: str) -> list[str]:
    return [flags.name(word) for word in words if getattr(flags, word) is not None]


def _effort(flags: Flags, faults: Faults) -> tuple[Effort, int | None]:
    if flags.effort is not None and flags.budget is not None:
        says = f"{flags.name('budget')} says how much effort there is: leave out"
        faults.together(flags.place("budget"), [flags.name("effort")], says)
    efforts = get_args(Effort)
    chosen = flags.effort or "quick"
    wrong = chosen not in efforts
    faults.when(wrong, flags.place("effort"), f"{chosen!r} is none of {', '.join(efforts)}")
    budget_ns = faults.of(flags.place("budget"), duration_above_zero, flags.budget)
    return cast("Effort", chosen), budget_ns


def _ladder(flags: Flags, bounds: tuple[float, float, float], faults: Faults) -> Staircase | None:
    low, high, by = bounds
    count = int((high - low) / by + 1e-9) + 1
    if count > STEPS_MAX:
        says = f"{flags.name('by')} {by:g} makes {count} steps, more than {STEPS_MAX}"
        faults.clause(flags.place("by"), says)
        return None
    return Staircase(tuple(low + i * by for i in range(count)))


def _rates(text: str) -> tuple[float, ...]:
    rates = tuple(parse_rate(part) for part in text.split(","))
    if any(later <= earlier for earlier, later in pairwise(rates)):
        raise ValueError(f"{text!r}: each rate must be above the one before it")
    return rates
