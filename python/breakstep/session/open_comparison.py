"""The users of a closed level once more, as an open model: arrivals that wait for nobody.

N users who think for Z and are answered in R ask for N / (Z + R) requests a second. With R the
response time without load that is their nominal rate: what they would ask for if the service held.
A closed model sends less as soon as it does not, and so hides what the others would have met.
"""

from collections.abc import Callable
from dataclasses import dataclass

from breakstep._engine import Engine
from breakstep.engine.ledger import Second
from breakstep.engine.step_runner import Measurement, Snapshot, StepRunner, Watch
from breakstep.model.plan import Plan, Step
from breakstep.model.units import NS_PER_S, format_duration, format_rate
from breakstep.search.controller import step_seed
from breakstep.session.closed_level import whole_seconds


def nominal_per_s(concurrency: int, think_ns: int, unloaded_ns: int) -> float:
    """N / (Z + R), requests a second.

    >>> nominal_per_s(60, 195_000_000, 5_000_000)
    300.0
    """
    return concurrency * NS_PER_S / (think_ns + unloaded_ns)


@dataclass(frozen=True, slots=True)
class OpenRunner:
    """Offers a rate as long as the levels were held.

    `keep` gets every finished second; `look` sees the load several times a second.
    """

    engine: Engine
    base: Plan
    keep: Callable[[int, Second], None]
    look: Callable[[Snapshot], None]
    stopping: Callable[[], bool]

    def announcement(self, concurrency: int, rate_per_s: float) -> str:
        """What is about to be offered."""
        hold = format_duration(self.base.hold_ns)
        return (
            f"open   {format_rate(rate_per_s)}/s, what {concurrency} users ask for who are "
            f"answered as without load, {self.base.arrivals} arrivals for {hold}"
        )

    def run(self, index: int, rate_per_s: float) -> Measurement:
        """Offers the rate and waits until every arrival has ended. Raises EngineError."""
        base = self.base
        step = Step(
            index=index,
            rate_per_s=rate_per_s,
            ramp_from_per_s=0.0,
            ramp_ns=0,
            warmup_ns=whole_seconds(base.warmup_ns),
            hold_ns=base.hold_ns,
            seed=step_seed(base.seed, index),
        )
        runner = StepRunner(self.engine, base)
        watch = Watch(lambda second: self.keep(index, second), self.look, self.stopping)
        return runner.run(step, watch)
