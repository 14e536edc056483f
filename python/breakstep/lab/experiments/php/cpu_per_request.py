"""What one request costs in CPU: one after another, the counters read before and after."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from breakstep.lab.calibrate import unloaded_s
from breakstep.lab.experiment import Bench, Experiment, Figure, Found, Held, Measured, Run, Truth
from breakstep.lab.stack import Stack
from breakstep.lab.stacks.php import NEEDS, Site
from breakstep.model.probe import ProbeSpec
from breakstep.probe.reading import Probe
from breakstep.probe.registry import open_probe

KEY = "costs"
PATHS = ("ping", "db", "slow")
BLOCKS, REQUESTS = 5, 30
_MS_PER_S = 1e3


@dataclass(frozen=True, slots=True)
class Costs:
    """Blocks of requests to each path; the median of the blocks, for each process."""

    blocks: int = BLOCKS
    requests: int = REQUESTS

    def __call__(self, stack: Stack, bench: Bench) -> Measured:
        """Sends them, one at a time: it is no load. Raises LabError or ProbeError."""
        probes = {
            role: open_probe(ProbeSpec("process", str(pid), role))
            for role, pid in stack.processes.items()
        }
        figures: dict[str, float] = {}
        for path in PATHS:
            bench.say(f"/api/{path}: {self.blocks} times {self.requests} requests")
            url = f"{stack.url}/api/{path}"
            unloaded_s(url, warm=0, counted=self.requests)
            blocks = [self._block(url, probes) for _ in range(self.blocks)]
            for role in probes:
                figures[f"{path}_{role}_ms"] = median(block[role] for block in blocks)
        return Measured(figures=figures, facts=stack.facts)

    def _block(self, url: str, probes: Mapping[str, Probe]) -> Mapping[str, float]:
        before = {role: _cpu_s(probe) for role, probe in probes.items()}
        unloaded_s(url, warm=0, counted=self.requests)
        used = {role: _cpu_s(probe) - before[role] for role, probe in probes.items()}
        return {role: seconds / self.requests * _MS_PER_S for role, seconds in used.items()}


def _cpu_s(probe: Probe) -> float:
    return next(reading.value for reading in probe.read() if reading.name == "cpu")


def total_ms(measured: Measured, path: str) -> float:
    """What a request costs all of them together."""
    figures = measured.figures
    return sum(value for name, value in figures.items() if name.startswith(f"{path}_"))


def _in_order(found: Found) -> Held:
    totals = [total_ms(found[KEY], path) for path in PATHS]
    text = ", ".join(f"{path} {total:.2f} ms" for path, total in zip(PATHS, totals, strict=True))
    return Held(all(less < more for less, more in pairwise(totals)), text)


def _text(path: str) -> Callable[[Found], str]:
    def read(found: Found) -> str:
        figures = found[KEY].figures
        php, nginx, database = (
            figures[f"{path}_{role}_ms"] for role in ("php-fpm", "nginx", "postgres")
        )
        return f"PHP {php:.2f}, nginx {nginx:.2f}, PostgreSQL {database:.2f} ms"

    return read


EXPERIMENT = Experiment(
    name="php/cpu-per-request",
    title="what a request costs",
    shows="A lookup costs more CPU than the framework alone, and a request that only waits costs "
    "more than the lookup: a worker that was asleep comes back to cold caches.",
    needs=NEEDS,
    runs=(Run(KEY, Site(), Costs()),),
    truths=(
        Truth("ping costs less than the lookup, and that less than waiting", (KEY,), _in_order),
    ),
    elsewhere=(
        Figure("ping", "7.1 ms", _text("ping")),
        Figure("db", "9.0 ms", _text("db")),
        Figure("slow", "14.2 ms", _text("slow")),
    ),
)
