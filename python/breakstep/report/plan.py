"""A capacity plan as sentences, with a small table of what each assumption does to it."""

import re
from collections.abc import Iterator, Sequence
from math import floor
from textwrap import fill

from breakstep.analysis.words import counted, percent
from breakstep.model.capacity import Assumption, CapacityPlan, Cpu, Fleet, PeakDemand
from breakstep.model.printable import printable
from breakstep.model.units import format_rate

_INDENT, _TIE = 12, "\u00a0"
_WITHOUT = {
    "spread": "the spread of runs",
    "headroom": "the headroom",
    "growth": "growth",
    "burst": "bursts",
    "imbalance": "imbalance",
    "failures": "failures",
}


def plan_text(plan: CapacityPlan, width: int = 100) -> str:
    """Headline, a paragraph for each question, the table, notes; in lines of so many letters."""
    lines = [_filled(headline(plan), width), ""]
    lines += [_entry(name, says, width) for name, says in entries(plan)]
    if plan.fleet is not None:
        lines += ["", *_table(plan.assumptions, plan.fleet)]
    if plan.caveats:
        lines += [
            "",
            *(_filled(f"Note: {printable(caveat, 400)}", width) for caveat in plan.caveats),
        ]
    return "\n".join(lines)


def headline(plan: CapacityPlan) -> str:
    """The number of nodes, or why there is none."""
    demand, fleet = plan.terms.demand, plan.fleet
    if fleet is None:
        return (
            f"No number of nodes is given for {_rate(demand.per_s)}: "
            f"{printable(plan.linear.says)}. More nodes would not carry more."
        )
    if plan.terms.nodes is not None:
        return _asked(fleet, demand)
    low, high = fleet.range_nodes
    ends = f"{low} or more" if high is None else f"{low} to {high}"
    around = "" if low == high else f" ({ends} by what the next node turns out to carry)"
    return (
        f"{_nodes(fleet.nodes)}{around}: {fleet.nodes - fleet.spare} carry "
        f"{_rate(demand.per_s)}, {_spare(fleet.spare)}."
    )


def _asked(fleet: Fleet, demand: PeakDemand) -> str:
    least = demand.peak_per_s * fleet.remaining_per_s / demand.per_s
    outcome = "hold" if fleet.holds else "do not hold"
    return (
        f"{_nodes(fleet.nodes)} {outcome}: with {_down(fleet.spare)} they are good for a peak of "
        f"{_rate(least)}, and {_rate(demand.peak_per_s)} is asked for."
    )


def entries(plan: CapacityPlan) -> Iterator[tuple[str, str]]:
    """A name and what there is to say, for each question; without a name it belongs to the last."""
    demand, fleet = plan.terms.demand, plan.fleet
    yield "rated", f"{_rate(plan.rated_per_node)} a node: {_rated(plan)}."
    yield "within", f"{', '.join(printable(slo) for slo in plan.rated.slos) or 'no SLO'}."
    yield "demand", f"{_rate(demand.per_s)}: {_product(demand)}."
    if fleet is not None:
        yield "check", f"{_check(fleet, demand)}."
    yield "linear", _linear(plan)
    yield "database", f"{plan.database.says}.{_remedy(plan.database.remedy)}"
    if (pools := _pools(plan)) is not None:
        yield "", pools
    for cost in plan.cpu:
        yield "CPU", _cpu(cost)
    yield "autoscale", f"{plan.autoscale.says}."
    yield "rate limit", f"{plan.limits.says}."


def _entry(name: str, says: str, width: int) -> str:
    return _filled(says, width, f"{name:<{_INDENT}}")


def _filled(says: str, width: int, name: str = "") -> str:
    """The text in lines, under its name; no line breaks within a number or before its unit."""
    tied = re.sub(r"(?<=\d) (?=\d|%|ms\b)", _TIE, says)
    filled = fill(tied, width, initial_indent=name, subsequent_indent=" " * len(name))
    return filled.replace(_TIE, " ")


def _rated(plan: CapacityPlan) -> str:
    says = plan.rated.says
    imbalance = plan.terms.demand.imbalance
    if imbalance == 1.0:
        return says
    return (
        f"{_rate(plan.rated.per_s)} ({says}), less what an uneven balancer costs (÷ {imbalance:g})"
    )


def _product(demand: PeakDemand) -> str:
    burst = f"burst {demand.burst:.3g} ({demand.source('burst')})"
    growth = f"growth {percent(demand.growth)} ({demand.source('growth')})"
    return f"peak {_rate(demand.peak_per_s)}, {burst}, {growth}"


def _check(fleet: Fleet, demand: PeakDemand) -> str:
    left = fleet.nodes - fleet.spare
    free = (
        f"{percent(max(0.0, fleet.headroom))} of what all {fleet.nodes} carry is free at the peak"
    )
    return (
        f"with {_down(fleet.spare)}, {left} are good for {_rate(fleet.remaining_per_s)}, "
        f"{'enough' if fleet.holds else 'too little'} for {_rate(demand.per_s)}; with all up {free}"
    )


def _linear(plan: CapacityPlan) -> str:
    says = printable(plan.linear.says)
    if plan.linear.supported:
        return f"{says}: more nodes carry more."
    if plan.terms.linear:
        return f"planned as if nodes shared nothing, as told; but {says}."
    return f"{says}.{_remedy(plan.linear.remedy)}"


def _pools(plan: CapacityPlan) -> str | None:
    found = plan.database
    if found.pool_least is None:
        return None
    return (
        f"A request holds a connection so long that a process needs {counted(found.pool_least)}; "
        f"behind a pooler {counted(found.pooler_connections or 0)} would do for all nodes."
    )


def _table(assumed: Sequence[Assumption], fleet: Fleet) -> Iterator[str]:
    """What the number of nodes would be without each assumption."""
    rows = [row for row in assumed if row.nodes_without is not None]
    yield f"{'without':<22}{'nodes':>6}{'change':>8}   {'now':<9}{'source'}"
    for row in rows:
        change = (row.nodes_without or 0) - fleet.needed
        yield (
            f"{_WITHOUT[row.name]:<22}{row.nodes_without or 0:>6}{_signed(change):>8}   "
            f"{_value(row):<9}{row.source}"
        )


def _value(row: Assumption) -> str:
    if row.factor is None:
        return f"+ {row.value:g}"
    return f"× {floor(100 * row.factor + 0.5) / 100:g}"


def _signed(change: int) -> str:
    return "0" if change == 0 else f"{change:+d}".replace("-", "−")


def _cpu(cost: Cpu) -> str:
    says = (
        f"{printable(cost.source)}: {cost.ms_per_request:.3g} ms a request, "
        f"{cost.cores_at_demand:.3g} cores for the whole demand"
    )
    if cost.cores_at_threshold is None:
        return f"{says}."
    return f"{says}, {cost.cores_at_threshold:.3g} on a node where nodes are added."


def _remedy(remedy: str | None) -> str:
    return "" if remedy is None else f" Remedy: {printable(remedy, 400)}."


def _nodes(count: int) -> str:
    return "1 node" if count == 1 else f"{counted(count)} nodes"


def _spare(count: int) -> str:
    return "none may be down" if count == 0 else f"{count} may be down"


def _down(count: int) -> str:
    return "all up" if count == 0 else f"{count} down"


def _rate(rate_per_s: float) -> str:
    return f"{format_rate(rate_per_s)}/s"
