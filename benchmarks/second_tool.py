"""The knee as other tools find it, beside ours, on one endpoint: a hash on Node's event loop.

Every tool climbs the same ladder of rates and is held to the same objectives. Those that are not
installed are passed over, with a word.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import breakstep
from benchmarks.figure import Figure, median_ratio, row
from benchmarks.host import Cores, HostError
from benchmarks.other_tools import TIMEOUT_S, Offer, Tool, Window, installed
from breakstep.lab import place
from breakstep.lab.ladder import Ladder
from breakstep.lab.stack import Stack
from breakstep.lab.stacks.node import Shop
from breakstep.model.errors import LabError

ROUNDS = 3
SECONDS = 5.0
P95_MS = 100.0
ERRORS = 0.01
LADDER = Ladder("/cpu", 2, (0.75, 0.85, 0.9, 0.95, 1.0, 1.05, 1.1, 1.2))
OURS = "breakstep, uniform"


@dataclass(frozen=True, slots=True)
class Climb:
    """The rates, each for so long, from a core."""

    url: str
    rates_per_s: Sequence[float]
    seconds: float
    core: int


def run(cores: Cores, seconds: float | None) -> Iterator[Figure]:
    """The knees, and the median ratio of theirs to ours."""
    finders = _finders()
    knees: dict[str, list[float]] = {name: [] for name in finders}
    with _app(cores) as stack:
        url, rates = stack.url + LADDER.path, LADDER(stack)
        for _ in range(ROUNDS):
            for name, finder in finders.items():
                climb = Climb(url, rates, seconds or SECONDS, cores.generator)
                knees[name].append(finder(climb))
    for name, found in knees.items():
        print(row(name, found, "/s"))
    for name in sorted(knees.keys() - {OURS}):
        ratio = median_ratio(knees[name], knees[OURS])
        yield Figure(f"knee of {name} against ours", ratio, "×")


@contextmanager
def _app(cores: Cores) -> Iterator[Stack]:
    """Express in one process, without a database. Raises HostError where it cannot be put up."""
    on = place.Cores(generator=(cores.generator,), app=(cores.server,))
    with TemporaryDirectory(prefix="breakstep-bench-") as folder:
        try:
            with Shop(database=False)(place.Place(Path(folder), on)) as stack:
                yield stack
        except LabError as error:
            raise HostError(str(error)) from error


def _finders() -> Mapping[str, Callable[[Climb], float]]:
    """Ours with both laws of arrivals, and the others."""
    ours = {
        OURS: partial(_breakstep, "uniform"),
        "breakstep, Poisson": partial(_breakstep, "poisson"),
    }
    return ours | {name: partial(_climbed, tool) for name, tool in installed()}


def _breakstep(arrivals: str, climb: Climb) -> float:
    result = breakstep.find(
        climb.url,
        slo=[f"p95<{P95_MS:g}ms", f"errors<{100 * ERRORS:g}%"],
        steps=climb.rates_per_s,
        hold=f"{climb.seconds:g}s",
        warmup="0s",
        timeout=f"{TIMEOUT_S}s",
        arrivals=arrivals,
    )
    answer = result.answer
    if answer.broken_per_s is None:
        raise HostError(f"breakstep found no knee: {answer.status}; {'; '.join(answer.caveats)}")
    return ((answer.sustainable_per_s or 0.0) + answer.broken_per_s) / 2.0


def _climbed(tool: Tool, climb: Climb) -> float:
    """Midway between the highest rate that passed and the first that did not."""
    highest_per_s = 0.0
    for rate_per_s in climb.rates_per_s:
        if not _passed(tool(Offer(climb.url, rate_per_s, climb.seconds, climb.core))):
            return (highest_per_s + rate_per_s) / 2.0
        highest_per_s = rate_per_s
    raise HostError(f"{highest_per_s:.0f}/s did not break it: the ladder is too short")


def _passed(window: Window) -> bool:
    return window.errors < ERRORS and window.p95_ms is not None and window.p95_ms < P95_MS
