"""What a labelled stack is, and how it is broken."""

import re
import time
import urllib.request
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from typing import Any

import breakstep
from breakstep import Result

UNLOADED = 50
"""Requests, one after another, that tell how long one takes once the program is warm."""
FRACTIONS = (0.25, 0.4, 0.55, 0.7, 1.3, 1.9)
"""Of what the stack should carry: four loads for a forecast, and one that breaks it."""
TRIES = 3
GENERATOR_CORE, SERVER_CORE = 0, 1


@dataclass(frozen=True, slots=True)
class Running:
    """A stack at work. `capacity_per_s` is what it should carry, `probes` what looks at it."""

    url: str
    capacity_per_s: float
    probes: Sequence[str] = ()
    search: dict[str, Any] = field(default_factory=dict)
    """What the search is told beside its loads."""


@dataclass(frozen=True, slots=True)
class Stack:
    """A stack and what breaks it: a `kind` of finding and, as a pattern, its resource."""

    name: str
    kind: str
    resource: str
    start: Callable[[Path], AbstractContextManager[Running]]
    fractions: Sequence[float] = FRACTIONS
    also: Callable[[Result], None] = lambda _result: None
    """What else must be true."""

    def broken(self, home: Path) -> Result:
        """The result of breaking it once; again if the machine was disturbed."""
        with self.start(home) as running:
            for _ in range(TRIES):
                result = _searched(running, self.fractions)
                if result.answer.status != "untrusted" or self.kind in ("generator", "host_noise"):
                    break
        return result

    def named(self, result: Result) -> str:
        """`kind` if kind and resource are right, otherwise what was named instead."""
        found = result.sections["diagnosis"]
        if found["kind"] != self.kind:
            return str(found["kind"])
        if re.search(self.resource, found["resource"] or ""):
            return self.kind
        return f"{self.kind} of {found['resource']}"


def _searched(running: Running, fractions: Sequence[float]) -> Result:
    told: dict[str, Any] = {
        "slo": ["p95<150ms", "errors<1%"],
        "hold": "2s",
        "warmup": "500ms",
        "timeout": "5s",
        "steps": [round(share * running.capacity_per_s, 1) for share in fractions],
        "probe": [f"{probe},every=200ms" for probe in running.probes],
        **running.search,
    }
    return breakstep.find(running.url, **told)


def unloaded_s(url: str) -> float:
    """The time of one request when nobody else asks: the lower quartile, for others disturb."""
    times = []
    for _ in range(UNLOADED):
        began = time.perf_counter()
        with urllib.request.urlopen(url, timeout=10.0) as answer:  # noqa: S310
            answer.read()
        times.append(time.perf_counter() - began)
    return quantiles(times)[0]


def on_core(core: int) -> tuple[str, ...]:
    """What goes before a command to keep it on a core."""
    return ("taskset", "-c", str(core))
