"""From runs and a demand to a capacity plan; no run is made and none is changed."""

from collections.abc import Iterator, Sequence

from breakstep.analysis.step_signals import request_costs
from breakstep.capacity.autoscale import autoscale
from breakstep.capacity.database import database
from breakstep.capacity.limits import limits
from breakstep.capacity.linear import linearity
from breakstep.capacity.nodes import fleet_for
from breakstep.capacity.rated import rate_node
from breakstep.capacity.seen import completed_terms
from breakstep.capacity.sensitivity import assumptions
from breakstep.model.capacity import CapacityPlan, Cpu, Database, Fleet, Linear, PlanTerms, Rated
from breakstep.model.finding import Finding
from breakstep.model.record import Result
from breakstep.model.sweep import Usl


def plan_capacity(
    results: Sequence[Result],
    findings: Sequence[Finding | None],
    usl: Usl | None,
    terms: PlanTerms,
) -> CapacityPlan:
    """What to run for the demand; `findings` are the diagnoses of the results, in their order.

    Raises PlanError with every run that a plan cannot rest on.
    """
    rated = rate_node(results, terms.headroom, terms.measured_on)
    linear = _together([linearity(finding) for finding in findings])
    fleet = _fleet(terms, rated, linear)
    per_node = rated.per_s / terms.demand.imbalance
    scaling = autoscale(terms.scaling, per_node, 1 if fleet is None else fleet.nodes)
    return CapacityPlan(
        terms=terms,
        rated=rated,
        rated_per_node=per_node,
        linear=linear,
        fleet=fleet,
        database=_database(terms, fleet, results[-1]),
        autoscale=scaling,
        limits=limits(results, rated.per_s, usl),
        cpu=tuple(_cpu(results[-1], terms.demand.per_s, scaling.at_per_s)),
        assumptions=assumptions(terms, rated, linear),
        caveats=rated.caveats,
    )


def _together(found: Sequence[Linear]) -> Linear:
    """The one that says most against it."""
    order = (False, None, True)
    return min(found, key=lambda linear: order.index(linear.supported))


def _fleet(terms: PlanTerms, rated: Rated, linear: Linear) -> Fleet | None:
    """None where more nodes would not carry more than those that were measured."""
    fleet = fleet_for(terms, rated)
    beyond = fleet.needed - fleet.spare > terms.measured_on
    if linear.supported is False and beyond and not terms.linear:
        return None
    return fleet


def _database(terms: PlanTerms, fleet: Fleet | None, result: Result) -> Database:
    if fleet is None:
        says = "not planned: more nodes do not help"
        return Database(None, None, None, says)
    return database(completed_terms(terms.database, result), fleet, terms.demand)


def _cpu(result: Result, demand_per_s: float, threshold_per_s: float | None) -> Iterator[Cpu]:
    for cost in request_costs(result):
        cores = cost.ms_per_request / 1000.0
        at_threshold = None
        if threshold_per_s is not None:
            at_threshold = max(0.0, cost.background_cores + cores * threshold_per_s)
        yield Cpu(cost.source, cost.ms_per_request, cores * demand_per_s, at_threshold)
