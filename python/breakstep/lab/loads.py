"""The loads that experiments offer, in the words of `breakstep find` and `breakstep sweep`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import breakstep
from breakstep.lab.experiment import Bench, Measured
from breakstep.lab.stack import Stack
from breakstep.model.record import Result
from breakstep.store.sweep_json import sweep_of

Rates = Sequence[float] | Callable[[Stack], Sequence[float]]
"""Given, or derived from the stack: from its facts, or from how long one request takes."""


@dataclass(frozen=True, slots=True)
class Find:
    """`breakstep find`: a search of its own without `rates`, otherwise up these until one breaks.

    `options` are the other words of `breakstep.find`: `{"hold": "5s", "timeout": "5s"}`.
    """

    path: str
    slo: tuple[str, ...]
    rates: Rates | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, stack: Stack, bench: Bench) -> Measured:
        """Offers it."""
        rates = self.rates(stack) if callable(self.rates) else self.rates
        if rates is not None:
            bench.say("offering " + ", ".join(f"{rate:.4g}" for rate in rates) + " a second")
        result = breakstep.find(
            stack.url + self.path,
            slo=self.slo,
            steps=rates,
            probe=stack.probes,
            pin=bench.cores.pin,
            out=bench.out,
            **self.options,
        )
        return Measured(uninterrupted(result), facts=stack.facts)


@dataclass(frozen=True, slots=True)
class Fixed:
    """Each of these rates for its whole time, whatever becomes of it: nothing is ended early."""

    path: str
    slo: tuple[str, ...]
    rates: Rates
    options: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, stack: Stack, bench: Bench) -> Measured:
        """Offers them."""
        options = {**self.options, "abort": False}
        return Find(self.path, self.slo, self.rates, options)(stack, bench)


@dataclass(frozen=True, slots=True)
class Sweep:
    """`breakstep sweep`: so many users at a time, each asking again once answered."""

    path: str
    concurrency: tuple[int, ...]
    options: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, stack: Stack, bench: Bench) -> Measured:
        """Offers it."""
        users = ", ".join(map(str, self.concurrency))
        bench.say(f"{users} users at a time")
        result = breakstep.sweep(
            stack.url + self.path,
            concurrency=self.concurrency,
            pin=bench.cores.pin,
            out=bench.out,
            **self.options,
        )
        return Measured(uninterrupted(result), facts=stack.facts)


def uninterrupted(result: Result) -> Result:
    """The result; Ctrl-C during a run ends the lab too. Raises KeyboardInterrupt."""
    stopped = [run.stop_reason for run in result.runs]
    if "interrupted" in stopped or _interrupted_sweep(result):
        raise KeyboardInterrupt
    return result


def _interrupted_sweep(result: Result) -> bool:
    return result.command == "sweep" and sweep_of(result).stop_reason == "interrupted"
