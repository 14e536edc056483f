"""5, 20 and 80 workers, where a request waits five times as long as a lookup takes."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from breakstep.lab.calibrate import unloaded_s
from breakstep.lab.experiment import Bench, Experiment, Figure, Found, Measured, Run
from breakstep.lab.experiments.php._loads import Limit, Shares, plateau, workers_over_wait
from breakstep.lab.experiments.php._readings import knee_text
from breakstep.lab.stack import Stack
from breakstep.lab.stacks.php import NEEDS, Site
from breakstep.lab.truths import names, ratio_of_knees, same_within_a_step

WAITS = 5.0
"""Times what a lookup takes: five workers leave some of a core, and twenty could fill three."""
SHARES = (0.5, 0.7, 0.85, 1.0, 1.15, 1.3)
_PSS_KB = re.compile(r"^Pss: +(\d+) kB", re.MULTILINE)
_KB_PER_MIB, _MS_PER_S = 1024.0, 1000.0


@dataclass(frozen=True, slots=True)
class Sized:
    """The loads, and what PHP and PostgreSQL take of the memory when they are over."""

    limit: Limit

    def __call__(self, stack: Stack, bench: Bench) -> Measured:
        """Offers them."""
        wait_ms = WAITS * _MS_PER_S * unloaded_s(f"{stack.url}/api/db")
        measured = Shares(f"/api/slow?ms={wait_ms:.0f}", SHARES, self.limit)(stack, bench)
        sizes = {
            f"{role}_mib": memory_mib(stack.processes[role]) for role in ("php-fpm", "postgres")
        }
        return replace(measured, figures={**measured.figures, **sizes})


def memory_mib(pid: int, proc: Path = Path("/proc")) -> float:
    """Of a process and its children; pages that several have count once among them."""
    children = (proc / f"{pid}/task/{pid}/children").read_text().split()
    return sum(_pss_kb(proc / one / "smaps_rollup") for one in (str(pid), *children)) / _KB_PER_MIB


def _pss_kb(rollup: Path) -> int:
    """Nothing of a process that has ended since: a session of the probe, for instance."""
    try:
        found = _PSS_KB.search(rollup.read_text())
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return 0 if found is None else int(found[1])


def _more(role: str) -> Callable[[Found], str]:
    def read(found: Found) -> str:
        before, after = (found[key].figures[f"{role}_mib"] for key in ("20", "80"))
        return f"{after - before:+.0f} MiB"

    return read


EXPERIMENT = Experiment(
    name="php/exp2",
    title="how many workers",
    shows="Too few workers break before the CPU does. Once there are enough to fill the CPU, more "
    "of them cost memory and connections and carry nothing.",
    needs=NEEDS,
    runs=(
        Run("5", Site(workers=5), Sized(workers_over_wait)),
        Run("20", Site(workers=20), Sized(plateau)),
        Run("80", Site(workers=80), Sized(plateau)),
    ),
    truths=(
        names("5", "io_workers", "php"),
        names("20", "cpu_workers", "php|host"),
        ratio_of_knees("20", "5", at_least=1.2),
        same_within_a_step("20", "80"),
    ),
    elsewhere=(
        Figure("5 workers break at", "85–90/s", knee_text("5")),
        Figure("20 and 80 break at", "the same", knee_text("20", "80")),
        Figure("memory of PHP, 20 → 80", "+107 MiB", _more("php-fpm")),
        Figure("memory of PostgreSQL, 20 → 80", "+106 MiB", _more("postgres")),
    ),
)
