"""A capacity plan as the envelope of every verb; its section `plan` stands where a run has its own.

What fixed the plan of nodes is in the section too: `demand`, and `rests_on` for the runs.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from breakstep.model.capacity import CapacityPlan
from breakstep.model.record import FORMAT, Result
from breakstep.model.units import NS_PER_S


def plan_envelope(plan: CapacityPlan, results: Sequence[Result], run: str) -> dict[str, Any]:
    """The envelope; environment and trust are those of the run that is trusted least."""
    order = ("invalid", "noisy", "trusted")
    worst = min(results, key=lambda result: order.index(result.trust.verdict))
    return {
        "format": FORMAT,
        "command": "plan",
        "id": run,
        "plan": {**plan_section(plan), "rests_on": [result.id for result in results]},
        "environment": dict(worst.environment),
        "trust": {
            "verdict": worst.trust.verdict,
            "checks": [asdict(check) for check in worst.trust.checks],
        },
    }


def plan_section(plan: CapacityPlan) -> dict[str, Any]:
    """The section; null where nothing is known or no number is supported."""
    fleet = plan.fleet
    return {
        "rated_per_node": plan.rated_per_node,
        "nodes": None if fleet is None else fleet.nodes,
        "spare": plan.terms.demand.failures,
        "database": asdict(plan.database),
        "autoscale_at_per_s": plan.autoscale.at_per_s,
        "rate_limit_per_s": plan.limits.rate_per_s,
        "assumptions": [asdict(row) for row in plan.assumptions],
        "demand": _demand(plan),
        "rated": asdict(plan.rated),
        "fleet": None if fleet is None else asdict(fleet),
        "linear": asdict(plan.linear),
        "autoscale": asdict(plan.autoscale),
        "limits": asdict(plan.limits),
        "cpu": [asdict(cost) for cost in plan.cpu],
        "caveats": list(plan.caveats),
    }


def _demand(plan: CapacityPlan) -> dict[str, Any]:
    demand, terms = plan.terms.demand, plan.terms
    react_ns = terms.scaling.react_ns
    return {
        "per_s": demand.per_s,
        "peak_per_s": demand.peak_per_s,
        "growth": demand.growth,
        "burst": demand.burst,
        "failures": demand.failures,
        "imbalance": demand.imbalance,
        "headroom": terms.headroom,
        "measured_on": terms.measured_on,
        "linear": terms.linear,
        "ramp_per_s2": terms.scaling.ramp_per_s2,
        "react_s": None if react_ns is None else react_ns / NS_PER_S,
    }
