"""A step on a real engine, at a socket where nobody listens: every arrival ends at once."""

from dataclasses import replace

import pytest

from breakstep._engine import Segment
from breakstep.engine.generator import start_engine
from breakstep.engine.step_runner import Measurement, StepRunner, Watch, Window
from breakstep.model.errors import EngineError
from breakstep.model.plan import Plan, Scenario, Staircase, Step, Target
from breakstep.model.slo import parse_slo
from breakstep.session.record import Judge

MS = 1_000_000
TARGET = Target("http://h/", "h", 80, tls=False, addresses=(), unix_socket="/nowhere/socket")
MIX = Plan(
    TARGET,
    (Scenario("GET", "/", name="browse", weight=3.0), Scenario("GET", "/pay", name="pay")),
    Staircase((1_000.0,)),
    slos=(parse_slo("pay: errors<1%"),),
    workers=2,
)
STEP = Step(0, 1_000.0, 0.0, ramp_ns=0, warmup_ns=100 * MS, hold_ns=400 * MS, seed=5)


def run(plan: Plan, step: Step, *, decided: bool = False) -> tuple[Measurement, int]:
    """The step as measured, and the engine's epoch."""
    engine = start_engine(plan, 100)

    def enough(window: Window) -> bool:
        return decided and len(window.rows) > 0

    watch = Watch(lambda _: None, lambda _: None, stopping=lambda: False, decided=enough)
    try:
        return StepRunner(engine, plan).run(step, watch), engine.epoch_wall_ns
    finally:
        engine.stop()


@pytest.mark.parametrize("looks_ns", [(), (200 * MS, 400 * MS)])
def test_a_mix_keeps_every_arrival_of_its_hold(looks_ns: tuple[int, ...]) -> None:
    """With or without looks: a row for each that was due, of the request that was planned."""
    measured, epoch_ns = run(MIX, replace(STEP, looks_ns=looks_ns))
    window = measured.window
    assert window.due_ns is not None
    assert window.performed is not None
    assert len(window.rows) == 32 * len(window.due_ns) == 32 * len(window.performed)
    step = Judge(MIX, epoch_ns).record(measured, None, None)
    assert step.requests["pay"].arrivals == window.performed.count(1)
    assert step.requests["browse"].outcomes["connect"] == window.performed.count(0)
    (criterion,) = step.verdict.criteria
    assert (criterion.slo, criterion.verdict, criterion.value) == ("pay: errors<1%", "fail", 1.0)


def test_a_step_decided_at_a_look_has_the_arrivals_until_then() -> None:
    """What was offered after it, before the load ended, is no part of the window."""
    measured, _ = run(MIX, replace(STEP, looks_ns=(200 * MS, 400 * MS)), decided=True)
    window = measured.window
    assert window.to_ns - window.from_ns == 200 * MS
    assert window.due_ns is not None
    assert window.performed is not None
    assert len(window.due_ns) == len(window.performed) == measured.tally.arrivals


def test_a_single_request_without_looks_keeps_no_rows() -> None:
    """There is nothing to tell apart, and nothing to look at."""
    alone = replace(MIX, scenarios=MIX.scenarios[:1], slos=())
    window = run(alone, STEP)[0].window
    assert (window.rows, window.due_ns, window.performed) == (b"", None, None)


def test_a_step_that_the_engine_refuses_is_an_error_of_ours() -> None:
    """Load is still to come: the next step cannot begin."""
    engine = start_engine(MIX, 100)
    watch = Watch(lambda _: None, lambda _: None, stopping=lambda: False)
    try:
        engine.append(Segment(start_ns=engine.now_ns(), duration_ns=60_000 * MS, concurrency=1))
        with pytest.raises(EngineError, match="refused a step"):
            StepRunner(engine, MIX).run(STEP, watch)
    finally:
        engine.stop()
