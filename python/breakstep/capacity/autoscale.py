"""At which load of a node to add nodes, so that they are there when it is needed.

    r       how fast load rises on the whole fleet, requests a second each second
    t       from crossing the threshold until a new node serves within the SLOs: metric, decision,
            boot, warm-up
    up      K − r · t / m         m nodes share what arrives meanwhile
    down    0.8 · up · (m − 1)/m  so that one node fewer stays below `up`; after 3 · t

Below half of K scaling comes too late to be of use: spare nodes or a schedule do better.
"""

from breakstep.model.capacity import Autoscale, ScalingTerms
from breakstep.model.units import NS_PER_S, format_duration, format_rate

TOO_LATE = 0.5
_DOWN, _PATIENCE = 0.8, 3.0


def autoscale(terms: ScalingTerms, rated_per_node: float, nodes: int) -> Autoscale:
    """The thresholds for one node of so many."""
    if terms.ramp_per_s2 is None or terms.react_ns is None:
        says = "not known: say --ramp-rate, as in 5 requests a second each second, and --react"
        return Autoscale(None, None, None, says)
    react_s = terms.react_ns / NS_PER_S
    arriving = terms.ramp_per_s2 * react_s / nodes
    up = rated_per_node - arriving
    meanwhile = (
        f"load rises by {format_rate(arriving)}/s a node in the "
        f"{format_duration(terms.react_ns)} that a new one takes"
    )
    if up < TOO_LATE * rated_per_node:
        says = f"comes too late: {meanwhile}; scale ahead of the load, or keep spare nodes"
        return Autoscale(None, None, None, says)
    down = _DOWN * up * (nodes - 1) / nodes
    patience_s = _PATIENCE * react_s
    says = (
        f"add a node at {format_rate(up)}/s a node, because {meanwhile}; remove one below "
        f"{format_rate(down)}/s that lasted {format_duration(patience_s * NS_PER_S)}"
    )
    return Autoscale(up, down, patience_s, says)
