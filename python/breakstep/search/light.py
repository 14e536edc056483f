"""A few light loads, from which the breaking load is foretold before the service is hurt.

    W    response time without load
    c    servers
    a    requests in service on average: λ·W

The loads have a = 10, 20 and 30 % of c, but no more than 0.3, 0.6 and 0.9: an arrival meets an
empty service with a chance of about e^(−a), and only such arrivals tell the service's own time.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp

from breakstep.model.plan import Step
from breakstep.model.record import StepRecord
from breakstep.model.units import NS_PER_S
from breakstep.search.controller import Done, StepShape

SHARES = (0.1, 0.2, 0.3)
BUSY_MOST = (0.3, 0.6, 0.9)
LONE_EACH = 450
"""Three loads make a few more than the thousand that a prediction takes."""


@dataclass(frozen=True, slots=True)
class Light:
    """The loads at which a service of `servers` and `unloaded_ns` is hardly busy."""

    servers: int
    unloaded_ns: int
    shape: StepShape

    def next_step(self, history: Sequence[StepRecord]) -> Step | Done:
        """The loads in order; a light load that fails is the end."""
        if history and history[-1].verdict.name == "fail":
            return Done("floor", "a light load was already too much")
        if len(history) == len(SHARES):
            return Done("ceiling", "only light loads were offered")
        return self._step(len(history))

    def _step(self, number: int) -> Step:
        busy = min(SHARES[number] * self.servers, BUSY_MOST[number])
        rate_per_s = busy * NS_PER_S / self.unloaded_ns
        arrivals = LONE_EACH / exp(-busy)
        hold_ns = max(self.shape.hold_ns, round(arrivals / rate_per_s * NS_PER_S))
        step = self.shape.step(number, rate_per_s)
        return replace(step, hold_ns=hold_ns, looks_ns=(hold_ns,), kind="predict")
