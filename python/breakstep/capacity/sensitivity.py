"""What each assumption does to the number of nodes: the plan made again without it, one at a time.

    nodes = failures + ⌈peak/K̄ · growth · burst · imbalance · (K̄/K_r)⌉

Each factor is set to 1, the failures to 0. The factors multiply, so the moves of the table need not
add up.
"""

from collections.abc import Iterator
from dataclasses import replace

from breakstep.analysis.words import percent
from breakstep.capacity.nodes import nodes_for
from breakstep.model.capacity import Assumption, Linear, PeakDemand, PlanTerms, Rated
from breakstep.model.units import format_rate


def assumptions(terms: PlanTerms, rated: Rated, linear: Linear) -> tuple[Assumption, ...]:
    """Every number that the nodes rest on."""
    return (
        _margin(terms.demand, rated),
        *_factors(terms.demand, rated),
        _failures(terms.demand, rated),
        _linear(terms, linear),
    )


def _margin(demand: PeakDemand, rated: Rated) -> Assumption:
    """From what a node carried to what it is counted on for."""
    given = rated.by == "headroom"
    return Assumption(
        name="headroom" if given else "spread",
        value=rated.per_s / rated.mean_per_s,
        source="given" if given else "measured",
        says=f"a node is counted on for {format_rate(rated.per_s)}/s: {rated.says}",
        factor=rated.mean_per_s / rated.per_s,
        nodes_without=nodes_for(demand, rated.mean_per_s),
    )


def _factors(demand: PeakDemand, rated: Rated) -> Iterator[Assumption]:
    yield Assumption(
        name="growth",
        value=demand.growth,
        source=demand.source("growth"),
        says=f"load grows by {percent(demand.growth)} before the next plan",
        factor=1.0 + demand.growth,
        nodes_without=nodes_for(replace(demand, growth=0.0), rated.per_s),
    )
    yield Assumption(
        name="burst",
        value=demand.burst,
        source=demand.source("burst"),
        says=f"for a moment load is {demand.burst:.3g} times the peak, beyond what chance does",
        factor=demand.burst,
        nodes_without=nodes_for(replace(demand, burst=1.0), rated.per_s),
    )
    yield Assumption(
        name="imbalance",
        value=demand.imbalance,
        source=demand.source("imbalance"),
        says=f"the busiest node gets {demand.imbalance:.3g} times the mean of all",
        factor=demand.imbalance,
        nodes_without=nodes_for(replace(demand, imbalance=1.0), rated.per_s),
    )


def _failures(demand: PeakDemand, rated: Rated) -> Assumption:
    nodes = "1 node may" if demand.failures == 1 else f"{demand.failures} nodes may"
    return Assumption(
        name="failures",
        value=float(demand.failures),
        source=demand.source("failures"),
        says=f"{nodes} be down at the peak",
        nodes_without=nodes_for(replace(demand, failures=0), rated.per_s),
    )


def _linear(terms: PlanTerms, linear: Linear) -> Assumption:
    source = "given" if terms.linear else "measured" if linear.supported else "assumed"
    return Assumption(
        name="linear",
        value=None,
        source=source,  # type: ignore[arg-type]
        says=f"twice the nodes carry twice the load: {linear.says}",
    )
