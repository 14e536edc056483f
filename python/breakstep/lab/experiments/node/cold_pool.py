"""A pool that has closed its idle connections makes the first load look like too much."""

import time
from dataclasses import dataclass

from breakstep.lab.experiment import Bench, Experiment, Figure, Found, Held, Measured, Run, Truth
from breakstep.lab.experiments.node._common import SLO, WITH_DATABASE
from breakstep.lab.ladder import Ladder
from breakstep.lab.loads import Fixed
from breakstep.lab.stack import Stack
from breakstep.lab.stacks.node import Shop
from breakstep.lab.steps import trusted_steps
from breakstep.model.record import StepRecord

POOL = 40
"""The more connections, the more is opened at once: every request that waits has one opened."""
IDLE_MS = 1_000
SHARES = (0.7,)
FIRST = {"hold": "1s", "warmup": "0s", "timeout": "5s"}
"""A first step without a warm-up."""


@dataclass(frozen=True, slots=True)
class AfterAPause:
    """A load on a service that had nothing to do for longer than it keeps its connections."""

    load: Fixed
    ladder: Ladder

    def __call__(self, stack: Stack, bench: Bench) -> Measured:
        """Finds the rates, pauses, offers the load."""
        rates = self.ladder(stack)
        time.sleep(3 * IDLE_MS / 1e3)
        return Fixed(self.load.path, self.load.slo, rates, self.load.options)(stack, bench)


LOAD = AfterAPause(Fixed("/db", SLO, (), FIRST), Ladder("/db", POOL, SHARES))


def _first(found: Found, key: str) -> StepRecord | None:
    steps = trusted_steps(found[key])
    return steps[0] if steps else None


def _false_knee(found: Found) -> Held:
    """The same share of what the service carries, with and without connections at hand."""
    cold, warm = _first(found, "cold"), _first(found, "warm")
    if cold is None or warm is None:
        return Held(None, "a first step was not trusted")
    right = cold.verdict.name == "fail" and warm.verdict.name == "pass"
    return Held(right, f"cold {cold.verdict.name}, warm {warm.verdict.name}: {_ours(found)}")


def _ours(found: Found) -> str:
    steps = {key: _first(found, key) for key in ("cold", "warm")}
    read = [
        f"{key} p95 {step.response_ms.p95:.0f} ms"
        for key, step in steps.items()
        if step is not None and step.response_ms.p95 is not None
    ]
    return ", ".join(read)


EXPERIMENT = Experiment(
    name="node/cold-pool",
    title="a false knee from a cold pool",
    shows="A pool that closes its idle connections opens all of them anew under the first load, "
    "which so misses its objective at a rate that the warm service carries.",
    needs=WITH_DATABASE,
    runs=(
        Run("cold", Shop(pool=POOL, pool_idle_ms=IDLE_MS), LOAD),
        Run("warm", Shop(pool=POOL), LOAD),
    ),
    truths=(Truth("the first load fails cold and passes warm", ("cold", "warm"), _false_knee),),
    elsewhere=(Figure("p95 of the first load", "cold 278 ms", _ours),),
)
