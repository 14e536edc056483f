"""The controller that a plan asks for."""

from breakstep.model import plan as model
from breakstep.search.climb import Climb
from breakstep.search.controller import Controller, StepShape
from breakstep.search.staircase import Staircase
from breakstep.search.standard import Standard


def controller_for(plan: model.Plan, first_per_s: float) -> Controller:
    """The plan's controller; a search without a `from_per_s` of its own starts at `first_per_s`."""
    shape = StepShape.of(plan)
    if isinstance(plan.load, model.Staircase):
        return Staircase(plan.load.rates_per_s, shape, to_the_end=not plan.abort)
    start_per_s = plan.load.from_per_s or first_per_s
    if plan.load.to_per_s is not None:
        start_per_s = min(start_per_s, plan.load.to_per_s)
    if isinstance(plan.load, model.Search):
        load = plan.load
        return Standard(start_per_s, load.to_per_s, load.first_look, load.looks, load.width, shape)
    return Climb(start_per_s, plan.load.to_per_s, plan.load.width, shape)
