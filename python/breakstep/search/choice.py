"""The controller that a plan asks for."""

from breakstep.model import plan as model
from breakstep.search.controller import Controller, StepShape
from breakstep.search.staircase import Staircase
from breakstep.search.standard import Standard


def controller_for(plan: model.Plan, first_per_s: float) -> Controller:
    """The plan's controller; a search without a `from_per_s` of its own starts at `first_per_s`."""
    shape, load = StepShape.of(plan), plan.load
    if isinstance(load, model.Staircase):
        return Staircase(load.rates_per_s, shape, to_the_end=not plan.abort)
    start_per_s = load.from_per_s or first_per_s
    if load.to_per_s is not None:
        start_per_s = min(start_per_s, load.to_per_s)
    return Standard(
        start_per_s,
        load.to_per_s,
        load.first_look,
        load.looks,
        load.width,
        shape,
        load.foretold_per_s,
        load.budget_ns,
    )
