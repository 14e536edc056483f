"""The knee as other tools find it, beside ours, on one endpoint: a hash on Node's event loop.

Every tool climbs the same ladder of rates and is held to the same objectives. Those that are not
installed are passed over, with a word.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.figure import Figure, median_ratio, row
from benchmarks.host import Cores, HostError
from benchmarks.other_tools import Offer, Tool, Window, installed
from breakstep.lab import place
from breakstep.lab.ladder import Ladder
from breakstep.lab.stack import Stack
from breakstep.lab.stacks.node import Shop
from breakstep.model.errors import LabError

ROUNDS = 3
SECONDS = 8.0
P95_MS = 100.0
ERRORS = 0.01
LADDER = Ladder("/cpu", 2, (0.7, 0.8, 0.85, 0.9, 0.95, 1.0, 1.05, 1.1, 1.2))
OURS = "breakstep, uniform"


def run(cores: Cores, seconds: float | None) -> Iterator[Figure]:
    """The knees, and the median ratio of theirs to ours."""
    tools = dict(installed())
    knees: dict[str, list[float]] = {name: [] for name in tools}
    with _app(cores) as stack:
        rates = LADDER(stack)
        for _ in range(ROUNDS):
            for name, tool in tools.items():
                offers = _offers(stack, rates, seconds or SECONDS, cores)
                knees[name].append(_knee(tool, offers))
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


def _offers(stack: Stack, rates: Sequence[float], seconds: float, cores: Cores) -> Sequence[Offer]:
    url = stack.url + LADDER.path
    return [Offer(url, rate_per_s, seconds, cores.generator) for rate_per_s in rates]


def _knee(tool: Tool, offers: Sequence[Offer]) -> float:
    """Midway between the highest rate that passed and the first that did not."""
    highest_per_s = 0.0
    for offer in offers:
        if not _passed(tool(offer)):
            return (highest_per_s + offer.rate_per_s) / 2.0
        highest_per_s = offer.rate_per_s
    raise HostError(f"{offers[-1].rate_per_s:.0f}/s did not break it: the ladder is too short")


def _passed(window: Window) -> bool:
    return window.errors < ERRORS and window.p95_ms is not None and window.p95_ms < P95_MS
