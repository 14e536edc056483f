"""What all controllers share."""

from dataclasses import replace

from searching import SHAPE

from breakstep.model import plan as model
from breakstep.model.plan import Plan, Scenario, Step, Target
from breakstep.search.choice import controller_for
from breakstep.search.controller import StepShape, step_seed
from breakstep.search.staircase import Staircase
from breakstep.search.standard import Standard

TARGET = Target("http://127.0.0.1/", "127.0.0.1", 80, tls=False, addresses=("127.0.0.1",))
PLAN = Plan(TARGET, (Scenario("GET", "/"),), model.Staircase((100.0,)), seed=7)


def test_seeds_are_the_same_on_every_machine() -> None:
    """A stored run can be repeated, arrival by arrival."""
    assert [step_seed(7, index) for index in range(2)] == [0x13B7CBD4115F, 0xDDA075E1F739]


def test_steps_of_a_run_have_seeds_of_their_own() -> None:
    """Steps that shared their arrivals would not be independent."""
    assert len({step_seed(run, index) for run in range(20) for index in range(50)}) == 1000


def test_a_step_starts_from_no_load() -> None:
    """The step before it was drained, so the ramp begins at zero."""
    expected = Step(3, 250.0, 0.0, 0, 2_000_000_000, 10_000_000_000, step_seed(7, 3))
    assert SHAPE.step(3, 250.0) == expected


def test_the_plan_names_its_controller() -> None:
    """Rates make a staircase; a search starts where the plan says, or where the session does."""
    shape = StepShape.of(PLAN)
    search = replace(PLAN, load=model.Search(to_per_s=500.0))
    assert controller_for(PLAN, 5.0) == Staircase((100.0,), shape)
    assert controller_for(search, 50.0) == Standard(50.0, 500.0, 20_000, 4, 0.03, shape)
    assert controller_for(search, 5000.0) == Standard(500.0, 500.0, 20_000, 4, 0.03, shape)
    named = replace(PLAN, load=model.Search(from_per_s=20.0))
    assert controller_for(named, 50.0) == Standard(20.0, None, 20_000, 4, 0.03, shape)
