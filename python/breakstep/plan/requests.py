"""What has to be right of the requests of a plan together, and of the SLOs that name one."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from math import isfinite

from breakstep.model.plan import Plan, Scenario, Staircase
from breakstep.model.slo import Slo
from breakstep.model.units import NS_PER_S, format_duration, format_rate

REQUESTS_MAX = 1000
"""Each is a series of its own in every step; more could not be read, nor judged."""
NAME_MAX = 100
WEIGHT_MAX = 1e6
SHOWN = 10
ROWS_MAX = 10_000_000
"""Arrivals of a step that are kept one by one, to tell requests apart: 32 bytes each."""


def faults_of(scenarios: Sequence[Scenario], slos: Sequence[Slo]) -> list[str]:
    """Everything that is wrong with them, each with the remedy."""
    if not scenarios:
        return ["no request: name at least one"]
    return [*_number(scenarios), *_names(scenarios), *_weights(scenarios), *_slos(scenarios, slos)]


def rows_faults(plan: Plan) -> Iterator[str]:
    """Whether a step of the staircase has more arrivals than can be kept one by one."""
    if len(plan.scenarios) == 1 or not isinstance(plan.load, Staircase):
        return
    highest_per_s = max(plan.load.rates_per_s)
    if highest_per_s * plan.hold_ns / NS_PER_S > ROWS_MAX:
        longest_ns = round(ROWS_MAX / highest_per_s * NS_PER_S)
        yield (
            f"a hold of {format_duration(plan.hold_ns)} at {format_rate(highest_per_s)}/s has more "
            f"arrivals than can be told apart by request: hold at most "
            f"{format_duration(longest_ns)}"
        )


def _number(scenarios: Sequence[Scenario]) -> Iterator[str]:
    if len(scenarios) > REQUESTS_MAX:
        yield f"{len(scenarios)} requests: at most {REQUESTS_MAX} can be told apart"


def _names(scenarios: Sequence[Scenario]) -> Iterator[str]:
    names = [scenario.name for scenario in scenarios]
    if len(names) > 1 and "" in names:
        number = names.index("") + 1
        yield f"request {number} has no name: with several, each needs one of its own"
    for name in dict.fromkeys(names):
        if name and names.count(name) > 1:
            yield f"{_shown(name)} names {names.count(name)} requests: give each a name of its own"
        if name != name.strip() or len(name) > NAME_MAX or not name.isprintable():
            yield (
                f"{_shown(name)} is no name of a request: at most {NAME_MAX} printable "
                "characters, no blank at either end"
            )


def _weights(scenarios: Sequence[Scenario]) -> Iterator[str]:
    for scenario in scenarios:
        weight = scenario.weight
        if not isfinite(weight) or not 0.0 < weight <= WEIGHT_MAX:
            of = f" of {_shown(scenario.name)}" if scenario.name else ""
            yield f"weight {weight:g}{of}: above 0 and at most {WEIGHT_MAX:g}"


def _slos(scenarios: Sequence[Scenario], slos: Sequence[Slo]) -> Iterator[str]:
    names = [scenario.name for scenario in scenarios if scenario.name]
    for slo in slos:
        if slo.request is not None and slo.request not in names:
            yield f"{slo}: no request is called {_shown(slo.request)}; {_known(slo.request, names)}"


def _known(asked: str, names: Sequence[str]) -> str:
    if not names:
        return "the only one has no name: leave out what is before the colon"
    if near := get_close_matches(asked, names, 1):
        return f"did you mean {_shown(near[0])}?"
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"there are {', '.join(names[:SHOWN])}{more}"


def _shown(name: str) -> str:
    """A name as a fault can show it: quoted, escaped, not endless."""
    return repr(name if len(name) <= NAME_MAX else name[:NAME_MAX] + "…")
