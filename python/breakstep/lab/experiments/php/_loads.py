"""The loads of these experiments: shares of what the site should carry, found just before."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from breakstep.lab.calibrate import unloaded_s
from breakstep.lab.experiment import Bench, Measured
from breakstep.lab.ladder import Ladder
from breakstep.lab.loads import Find
from breakstep.lab.stack import Stack

SLO = ("p95<200ms", "errors<1%")
CLIMB = (0.4, 0.55, 0.7, 0.85, 1.0, 1.15, 1.3)
"""Up to the breaking point, with enough light loads to tell what a request costs."""
QUICK: Mapping[str, Any] = {"hold": "5s", "warmup": "2s"}

Limit = Callable[[Stack, str], float]
"""What a path of a site should carry about, requests a second."""


def workers_over_wait(stack: Stack, path: str) -> float:
    """N/W: the workers over the time of one request that nobody else disturbs."""
    workers: int = stack.facts["workers"]
    # The site is warm already, and a request that waits takes its time.
    return workers / unloaded_s(stack.url + path, warm=5, counted=20)


def plateau(stack: Stack, path: str) -> float:
    """What as many users as there are workers get who never pause. Raises LabError."""
    return Ladder(path, stack.facts["workers"], ()).carries_per_s(stack)


def one_ping_after_another(stack: Stack, _path: str) -> float:
    """For a path that fails some of the time: the framework alone, one request at a time."""
    return 1.0 / unloaded_s(f"{stack.url}/api/ping")


@dataclass(frozen=True, slots=True)
class Shares:
    """`breakstep find` at these shares of the limit, which is kept as the figure `limit_per_s`.

    With `options` of `{"abort": False}` every load is held to its end.
    """

    path: str
    shares: Sequence[float]
    limit: Limit
    options: Mapping[str, Any] = field(default_factory=lambda: QUICK)

    def __call__(self, stack: Stack, bench: Bench) -> Measured:
        """Offers them."""
        limit_per_s = self.limit(stack, self.path)
        bench.say(f"{self.path}: shares of {limit_per_s:.4g} a second")
        rates = [round(share * limit_per_s, 1) for share in self.shares]
        measured = Find(self.path, SLO, rates, self.options)(stack, bench)
        return replace(measured, figures={"limit_per_s": limit_per_s})


def limit_of(measured: Measured) -> float:
    """The limit that the loads were shares of."""
    return measured.figures["limit_per_s"]
