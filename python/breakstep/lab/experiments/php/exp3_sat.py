"""Pushed past N/W and held there: the workers work, and for nobody."""

from breakstep.lab.experiment import Experiment, Figure, Found, Held, Measured, Run
from breakstep.lab.experiments.php._loads import Shares, limit_of, workers_over_wait
from breakstep.lab.experiments.php._readings import (
    in_the_heaviest,
    shares_text,
    status_share,
)
from breakstep.lab.readings import at_the_top
from breakstep.lab.stacks.php import NEEDS, Site
from breakstep.model.record import StepRecord

KEY = "sat"
SHARES = (0.6, 1.35, 2.0)
HELD = {"hold": "10s", "warmup": "10s", "abort": False}
"""At twice N/W a request waits longer than nginx does after five seconds."""
NEXT_TO_NOTHING, STILL_BUSY, NEARLY_ALL = 0.1, 0.8, 0.9


def _goodput(measured: Measured, step: StepRecord) -> Held:
    limit = limit_of(measured)
    text = f"{step.goodput_per_s:.1f}/s of {limit:.1f}/s at {step.offered_per_s:g}/s offered"
    return Held(step.goodput_per_s < NEXT_TO_NOTHING * limit, text)


def _accepted(measured: Measured, _step: StepRecord) -> Held:
    rate = at_the_top(measured, "php-fpm", "accepted")
    if rate is None:
        return Held(None, "php-fpm's status page was not read")
    limit = limit_of(measured)
    return Held(rate >= STILL_BUSY * limit, f"{rate:.1f}/s accepted of {limit:.1f}/s")


def _given_up(_measured: Measured, step: StepRecord) -> Held:
    return Held(status_share(step, 504) >= NEARLY_ALL, shares_text(step))


def _each_load(found: Found) -> str:
    measured = found[KEY]
    steps = () if measured.result is None else measured.result.steps
    return "; ".join(
        f"{step.offered_per_s:g}/s → {step.ok / step.arrivals * step.completed_per_s:.1f} ok/s"
        for step in steps
        if step.arrivals
    )


def _accepts(found: Found) -> str:
    rate = at_the_top(found[KEY], "php-fpm", "accepted")
    return "not sampled" if rate is None else f"{rate:.1f}/s"


EXPERIMENT = Experiment(
    name="php/exp3-sat",
    title="congestion collapse",
    shows="Held at twice what the workers can do, nginx gives up on every request before a worker "
    "takes it: php-fpm stays as busy as ever, and nobody gets an answer.",
    needs=NEEDS,
    runs=(Run(KEY, Site(workers=5), Shares("/api/slow", SHARES, workers_over_wait, HELD)),),
    truths=(
        in_the_heaviest("goodput under 10 % of N/W at twice N/W", KEY, _goodput),
        in_the_heaviest("php-fpm accepts at least 80 % of N/W meanwhile", KEY, _accepted),
        in_the_heaviest("at least 90 % of the answers are 504", KEY, _given_up),
    ),
    elsewhere=(
        Figure("offered → ok a second", "60 → 26.4; 90 → 0", _each_load),
        Figure("accepted by php-fpm at the highest load", "44/s", _accepts),
    ),
)
