"""The capacity plan of one run, for the demand that its load-model file states."""

from breakstep.capacity.planning import plan_capacity
from breakstep.model.capacity import CapacityPlan
from breakstep.model.errors import PlanError
from breakstep.model.record import Result
from breakstep.plan.capacity_flags import CapacityFlags, terms_from_flags
from breakstep.report.finding import finding_of

DEMAND = "demand"


def planned(result: Result) -> CapacityPlan | None:
    """None where no demand is stated, or the run has nothing that a plan can rest on."""
    demand = result.plan.get(DEMAND)
    if not demand:
        return None
    try:
        terms = terms_from_flags(CapacityFlags(), demand)
        return plan_capacity([result], [finding_of(result)], None, terms)
    except PlanError:
        return None
