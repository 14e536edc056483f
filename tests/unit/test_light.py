"""Facts of the light loads before a prediction."""

from fakes import record

from breakstep.model.plan import Step
from breakstep.search.controller import Done, StepShape
from breakstep.search.light import Light

S = 1_000_000_000
SHAPE = StepShape(ramp_ns=0, warmup_ns=S, hold_ns=S, run_seed=1)


def loads(servers: int, unloaded_ns: int) -> list[Step]:
    """The steps while every load passes."""
    steps: list[Step] = []
    light = Light(servers, unloaded_ns, SHAPE)
    while isinstance(
        step := light.next_step([record(i, s.rate_per_s, "pass") for i, s in enumerate(steps)]),
        Step,
    ):
        steps.append(step)
    return steps


def test_a_single_server_is_loaded_to_a_tenth_two_and_three() -> None:
    """At 20 ms it carries 50 a second."""
    assert [round(step.rate_per_s, 6) for step in loads(1, S // 50)] == [5.0, 10.0, 15.0]


def test_many_servers_are_loaded_so_that_they_are_often_empty() -> None:
    """Less than one request is in service on average, however many there could be."""
    busy = [step.rate_per_s / 50 for step in loads(100, S // 50)]
    assert [round(a, 6) for a in busy] == [0.3, 0.6, 0.9]


def test_each_load_is_held_until_enough_arrivals_met_an_empty_service() -> None:
    """At 30 % busy three of four do, and 450 are wanted of each load."""
    last = loads(1, S // 50)[-1]
    assert 450 < last.rate_per_s * last.hold_ns / S < 700
    assert last.looks_ns == (last.hold_ns,)
    assert last.kind == "predict"


def test_a_light_load_that_fails_is_the_end() -> None:
    """A service that misses its SLO without a queue need not be loaded more."""
    light = Light(1, S // 50, SHAPE)
    done = light.next_step([record(0, 5.0, "fail")])
    assert isinstance(done, Done)
    assert done.stop_reason == "floor"
