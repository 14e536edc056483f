"""How many nodes, with as many to spare as may be down.

    D    the demand: peak · burst · (1 + growth)
    K    what a node is counted on for, after the imbalance: K_r / (busiest node / mean node)
    f    nodes that may be down
    m = f + ⌈D / K⌉      and so (m − f) · K ≥ D

What is free at the peak, 1 − P / (m · K̄), is a result and not a rule. Several nodes together vary
less than one: in 95 of 100 cases m of them carry m · K̄ − t · s · √(m + m²/n) at least, more than
the m · K_r that is planned with.
"""

from math import ceil, sqrt

from breakstep.model.capacity import Fleet, PeakDemand, PlanTerms, Rated

_ROUNDING = 1e-9
"""A quotient that is a whole number but for rounding is that number."""


def nodes_for(demand: PeakDemand, rated_per_s: float) -> int:
    """The fewest nodes of so much each, the spare ones included.

    >>> nodes_for(PeakDemand(500.0), 0.7 * 150.0)
    6
    """
    return demand.failures + ceil(demand.per_s * demand.imbalance / rated_per_s - _ROUNDING)


def fleet_for(terms: PlanTerms, rated: Rated) -> Fleet:
    """The nodes for the demand, or what those given are good for."""
    demand = terms.demand
    needed = nodes_for(demand, rated.per_s)
    nodes = needed if terms.nodes is None else terms.nodes
    left = max(0, nodes - demand.failures)
    remaining = left * rated.per_s / demand.imbalance
    low, high = rated.interval_per_s
    return Fleet(
        nodes=nodes,
        needed=needed,
        spare=demand.failures,
        remaining_per_s=remaining,
        together_per_s=_together(rated, left, demand.imbalance),
        holds=remaining >= demand.per_s * (1.0 - _ROUNDING),
        range_nodes=(nodes_for(demand, high), nodes_for(demand, low) if low > 0.0 else None),
        headroom=1.0 - demand.peak_per_s / (nodes * rated.mean_per_s),
    )


def _together(rated: Rated, nodes: int, imbalance: float) -> float | None:
    """What so many carry at least, None where there is no spread to tell."""
    if rated.by != "next_node":
        return None
    reach = (rated.mean_per_s - rated.per_s) / sqrt(1.0 + 1.0 / rated.runs)
    least = nodes * rated.mean_per_s - reach * sqrt(nodes + nodes**2 / rated.runs)
    return least / imbalance
