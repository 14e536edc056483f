"""A pool that gives up after a second: what it cannot serve becomes errors, all of one kind."""

from breakstep.lab.experiment import Experiment, Figure, Found, Held, Measured, Run, Truth
from breakstep.lab.experiments.node._common import SLO, WITH_DATABASE, unloaded_s
from breakstep.lab.ladder import Ladder
from breakstep.lab.loads import Fixed
from breakstep.lab.stacks.node import POOL, Shop
from breakstep.lab.steps import errors_of, trusted_steps
from breakstep.model.record import StepRecord

WAIT_MS = 1_000
SHARES = (0.5, 1.4)
STEPS = {"hold": "8s", "warmup": "5s", "timeout": "5s"}
"""The queue is as long as the pool lets it get before the hold begins."""
KEY = "impatient"


def _overload(measured: Measured) -> StepRecord | None:
    """The last window beyond 10/W; None where only one of the loads was trusted."""
    steps = trusted_steps(measured)
    both = len({step.offered_per_s for step in steps}) == len(SHARES)
    return steps[-1] if both else None


def _errors(found: Found) -> Held:
    """Of λ a second N/W are served, and the rest is given up."""
    step = _overload(found[KEY])
    if step is None:
        return Held(None, "the overload was not trusted")
    expected = 1.0 - POOL / unloaded_s(found[KEY]) / step.offered_per_s
    share = errors_of(step)
    return Held(abs(share - expected) <= 0.05, f"{share:.1%}, expected {expected:.1%}")


def _kind(found: Found) -> Held:
    step = _overload(found[KEY])
    if step is None:
        return Held(None, "the overload was not trusted")
    failed = step.arrivals - step.ok
    status = step.statuses.get(500, 0)
    return Held(failed > 0 and status == failed, f"{status} of {failed} failures are status 500")


def _waiting(found: Found) -> Held:
    """By Little's law R = L/X, with the requests in flight as they were counted."""
    step = _overload(found[KEY])
    if step is None or step.response_ms.p50 is None:
        return Held(None, "the overload was not trusted")
    expected_ms = 1e3 * step.in_flight.mean / step.completed_per_s
    near = abs(step.response_ms.p50 / expected_ms - 1.0) <= 0.15
    return Held(near, f"p50 {step.response_ms.p50:.0f} ms, in flight / X {expected_ms:.0f} ms")


def _ours(found: Found) -> str:
    step = _overload(found[KEY])
    if step is None or step.response_ms.p50 is None:
        return "not measured"
    return (
        f"{step.offered_per_s:.0f}/s: {errors_of(step):.1%} errors, "
        f"p50 {step.response_ms.p50:.0f} ms"
    )


EXPERIMENT = Experiment(
    name="node/1c",
    title="a pool that gives up after a second",
    shows="With a limit on the wait for a connection the queue stops growing at that limit, and "
    "exactly the load beyond 10/W fails, with status 500.",
    needs=WITH_DATABASE,
    runs=(
        Run(
            KEY,
            Shop(pool_wait_ms=WAIT_MS),
            Fixed("/dbsleep", SLO, Ladder("/dbsleep", POOL, SHARES), STEPS),
        ),
    ),
    truths=(
        Truth("the share of errors is 1 − (10/W)/λ, give or take 5 points", (KEY,), _errors),
        Truth("every failure is a status 500", (KEY,), _kind),
        Truth("p50 is what is in flight over what is completed a second", (KEY,), _waiting),
    ),
    elsewhere=(
        Figure(
            "beyond 10/W",
            "550/s: 0.9 % errors, p50 892 ms ≈ 400 in flight / 430 per s; 600/s: 18.9 %",
            _ours,
        ),
    ),
)
