"""What one request costs in CPU: one after another, the counters read before and after."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import hypot

from breakstep.analysis.cost import Cost
from breakstep.lab.experiment import Bench, Experiment, Figure, Found, Held, Measured, Run, Truth
from breakstep.lab.stack import Stack
from breakstep.lab.stacks.php import NEEDS, Site
from breakstep.model.units import NS_PER_S
from breakstep.plan.flags import plan_from_flags
from breakstep.plan.words import Flags
from breakstep.session.cost import cost
from breakstep.session.interrupts import interrupts

KEY = "costs"
PATHS = ("ping", "db", "slow")
ROLES = ("php-fpm", "nginx", "postgres")


@dataclass(frozen=True, slots=True)
class Costs:
    """`breakstep doctor --cost` for each path in turn, for so many seconds each."""

    seconds: float = 12.0

    def __call__(self, stack: Stack, bench: Bench) -> Measured:
        """Sends one request at a time: it is no load. Raises ProbeError or TargetError."""
        figures: dict[str, float] = {}
        for path in PATHS:
            bench.say(f"/api/{path}, one request after another for {self.seconds:g} s")
            for one in self._costs(stack, f"/api/{path}"):
                if one.mean_ms is not None and one.interval_ms is not None:
                    figures[f"{path}_{one.source}_ms"] = one.mean_ms
                    figures[f"{path}_{one.source}_half_ms"] = one.interval_ms[1] - one.mean_ms
        return Measured(figures=figures, facts=stack.facts)

    def _costs(self, stack: Stack, path: str) -> Sequence[Cost]:
        probes = [f"process:{pid},name={role}" for role, pid in stack.processes.items()]
        plan = plan_from_flags(Flags(url=stack.url + path, probe=probes))
        with interrupts() as stopping:
            found = cost(plan, round(self.seconds * NS_PER_S), stopping)
        if found.interrupted:
            raise KeyboardInterrupt
        return found.costs


def total_ms(measured: Measured, path: str) -> tuple[float, float] | None:
    """What a request costs all processes together, give or take how much; None if not known."""
    names = [f"{path}_{role}" for role in ROLES]
    means = [measured.figures.get(f"{name}_ms") for name in names]
    halves = [measured.figures.get(f"{name}_half_ms") for name in names]
    known, give = [one for one in means if one is not None], [h for h in halves if h is not None]
    return (sum(known), hypot(*give)) if len(known) == len(ROLES) else None


def _in_order(found: Found) -> Held:
    """Each dearer than the one before by more than is not known of the two."""
    totals = [total for path in PATHS if (total := total_ms(found[KEY], path))]
    if len(totals) < len(PATHS):
        return Held(None, "too few batches to tell")
    listed = [
        f"{path} {ms:.2f} ± {half:.2f}" for path, (ms, half) in zip(PATHS, totals, strict=True)
    ]
    gaps = [(more - less, hypot(half, other)) for (less, half), (more, other) in pairwise(totals)]
    certain = all(abs(gap) > doubt for gap, doubt in gaps)
    right = all(gap > 0.0 for gap, _ in gaps)
    return Held(right if certain else None, f"{', '.join(listed)} ms")


def _text(path: str) -> Callable[[Found], str]:
    def read(found: Found) -> str:
        total, figures = total_ms(found[KEY], path), found[KEY].figures
        if total is None:
            return "too few batches to tell"
        parts = ", ".join(f"{role} {figures[f'{path}_{role}_ms']:.2f}" for role in ROLES)
        return f"{total[0]:.2f} ± {total[1]:.2f} ms ({parts})"

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
