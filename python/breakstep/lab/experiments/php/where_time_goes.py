"""Where a request's time goes: the access logs of nginx and php-fpm side by side."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

from breakstep.lab.experiment import Bench, Experiment, Figure, Found, Held, Measured, Run, Truth
from breakstep.lab.experiments.php._loads import Shares, workers_over_wait
from breakstep.lab.experiments.php._logs import Line, fpm_lines, nginx_lines, within
from breakstep.lab.stack import Stack
from breakstep.lab.stacks.php import NEEDS, Site
from breakstep.lab.steps import trusted_steps
from breakstep.lab.truths import figure

KEY = "logs"
LIGHT, HEAVY = "light", "heavy"
WORKERS = 5
"""Few enough that their own CPU is no matter."""
LOADS = Shares(
    "/api/slow", (0.4, 1.2), workers_over_wait, {"hold": "8s", "warmup": "2s", "abort": False}
)
"""A light load, and one beyond N/W."""
FLAT, GROWN, AT_ONCE_MS = 1.25, 2.0, 5.0


def _both_logs(stack: Stack, bench: Bench) -> Measured:
    """Both loads, and what both logs say of each."""
    measured = LOADS(stack, bench)
    nginx = nginx_lines(Path(stack.facts["nginx_log"]))
    fpm = fpm_lines(Path(stack.facts["fpm_log"]))
    figures = dict(measured.figures)
    steps = {step.offered_per_s: step for step in trusted_steps(measured)}
    if len(steps) == len(LOADS.shares):
        for name, step in zip((LIGHT, HEAVY), steps.values(), strict=True):
            figures |= _medians(name, within(nginx, step), within(fpm, step))
    return replace(measured, figures=figures)


def _medians(load: str, nginx: Sequence[Line], fpm: Sequence[Line]) -> Mapping[str, float]:
    times = {
        f"{load}_nginx_ms": [line.took_ms for line in nginx],
        f"{load}_fpm_ms": [line.took_ms for line in fpm],
        f"{load}_connect_ms": [line.connect_ms for line in nginx if line.connect_ms is not None],
    }
    return {name: median(found) for name, found in times.items() if found}


def _grows(log: str, right: Callable[[float], bool], says: str) -> Truth:
    """How the median of a log compares from the light load to the heavy one."""

    def judge(found: Found) -> Held:
        figures = found[KEY].figures
        light, heavy = (figures.get(f"{load}_{log}_ms") for load in (LIGHT, HEAVY))
        if not light or heavy is None:
            return Held(None, f"the log of {log} has no line in the window of a trusted step")
        return Held(right(heavy / light), f"p50 {light:.0f} → {heavy:.0f} ms")

    return Truth(says, (KEY,), judge)


def _text(log: str) -> Callable[[Found], str]:
    def read(found: Found) -> str:
        medians = [found[KEY].figures.get(f"{load}_{log}_ms") for load in (LIGHT, HEAVY)]
        return " → ".join("no line" if one is None else f"{one:.3g}" for one in medians) + " ms"

    return read


EXPERIMENT = Experiment(
    name="php/where-time-goes",
    title="two access logs",
    shows="Beyond N/W the time that a worker takes stays what it was, while the time that nginx "
    "writes down grows: the difference is the listen queue, which neither log names.",
    needs=NEEDS,
    runs=(Run(KEY, Site(workers=WORKERS), _both_logs),),
    truths=(
        _grows("fpm", lambda ratio: ratio <= FLAT, "a worker's time grows by less than a quarter"),
        _grows("nginx", lambda ratio: ratio >= GROWN, "nginx's time at least doubles"),
        figure(
            "nginx is connected at once all the while",
            KEY,
            f"{HEAVY}_connect_ms",
            at_most=AT_ONCE_MS,
        ),
    ),
    elsewhere=(
        Figure("php-fpm's log, p50 light → heavy", "114–123 ms", _text("fpm")),
        Figure("nginx's log, p50 light → heavy", "155–550 ms", _text("nginx")),
        Figure("nginx's upstream connect, p50", "about 0", _text("connect")),
    ),
)
