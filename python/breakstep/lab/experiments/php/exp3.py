"""5, 10 and 100 workers that each wait a tenth of a second: Little's law until the CPU ends it."""

from dataclasses import replace
from pathlib import Path
from statistics import fmean

from breakstep.lab.experiment import Bench, Experiment, Figure, Found, Held, Measured, Run, Truth
from breakstep.lab.experiments.php._loads import Shares, limit_of, plateau, workers_over_wait
from breakstep.lab.experiments.php._logs import fpm_lines, within
from breakstep.lab.stack import Stack
from breakstep.lab.stacks.php import NEEDS, Site
from breakstep.lab.steps import trusted_steps
from breakstep.lab.truths import names
from breakstep.model.units import format_rate

PATH = "/api/slow"
SHARES = (0.5, 0.8, 1.15)
WHOLE = {"hold": "6s", "warmup": "2s", "abort": False}
MANY = 100
"""So many that N/W is far beyond the end of a core that is fast."""
UP = (0.5, 0.8, 1.0, 1.2, 1.45, 1.7)
"""Users without pause find the end of the CPU less exactly than that of N/W."""
WITHIN = 0.1
MUCH_LESS = 0.8


def completed_per_s(measured: Measured) -> float | None:
    """The most that any step completed with success."""
    rates = [step.ok / step.arrivals * step.completed_per_s for step in trusted_steps(measured)]
    return max(rates, default=None)


def _timed(stack: Stack, bench: Bench) -> Measured:
    """Up to beyond N/W, and what a worker took there by its own log."""
    measured = Shares(PATH, SHARES, workers_over_wait, WHOLE)(stack, bench)
    steps = trusted_steps(measured)
    lines = within(fpm_lines(Path(stack.facts["fpm_log"])), steps[-1]) if steps else ()
    if not lines:
        return measured
    took = {"worker_ms": fmean(line.took_ms for line in lines)}
    return replace(measured, figures={**measured.figures, **took})


def _n_over_w(workers: int) -> Truth:
    """W is what a worker takes at that load: all of them busy, it is more than of one alone."""
    key = str(workers)

    def judge(found: Found) -> Held:
        most, took_ms = completed_per_s(found[key]), found[key].figures.get("worker_ms")
        if most is None or took_ms is None:
            return Held(None, f"no step of {key} was trusted")
        expected = workers * 1000.0 / took_ms
        text = f"{format_rate(most)}/s, N/W = {format_rate(expected)}/s with W = {took_ms:.0f} ms"
        return Held(abs(most / expected - 1.0) <= WITHIN, text)

    claim = f"{workers} workers complete N/W, within {100 * WITHIN:g} %"
    return Truth(claim, (key,), judge)


def _capped(found: Found) -> Held:
    most, expected = completed_per_s(found["100"]), _many_per_s(found)
    if most is None:
        return Held(None, "no step of 100 was trusted")
    text = f"{format_rate(most)}/s of N/W = {format_rate(expected)}/s"
    return Held(most <= MUCH_LESS * expected, text)


def _many_per_s(found: Found) -> float:
    """N/W of the many, by the W of ten: their own limit is what they complete without pause."""
    return MANY / 10.0 * limit_of(found["10"])


def _predicted_and_got(key: str, elsewhere: str) -> Figure:
    def ours(found: Found) -> str:
        predicted = _many_per_s(found) if key == str(MANY) else limit_of(found[key])
        got = completed_per_s(found[key])
        return f"{predicted:.1f} → {'not trusted' if got is None else f'{got:.1f}'}"

    return Figure(f"{key} workers, N/W → completed a second", elsewhere, ours)


EXPERIMENT = Experiment(
    name="php/exp3",
    title="workers that wait",
    shows="N workers that take W a request complete N/W a second, until the CPU is used up first.",
    needs=NEEDS,
    runs=(
        Run("5", Site(workers=5), _timed),
        Run("10", Site(workers=10), _timed),
        Run("100", Site(workers=MANY), Shares(PATH, UP, plateau)),
    ),
    truths=(
        _n_over_w(5),
        _n_over_w(10),
        names("5", "io_workers", "php"),
        Truth("100 workers complete at most 80 % of N/W", ("10", "100"), _capped),
        names("100", "cpu_workers", "php|host"),
    ),
    elsewhere=(
        _predicted_and_got("5", "44.6 → 43.5"),
        _predicted_and_got("10", "89 → 79.7"),
        _predicted_and_got("100", "40 workers: 357 → 135–142"),
    ),
)
