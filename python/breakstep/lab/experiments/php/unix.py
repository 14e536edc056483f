"""A full backlog at a unix socket, and at a port: refused at once, or left to wait."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median

from breakstep.lab.experiment import Bench, Experiment, Figure, Found, Held, Measured, Run, Truth
from breakstep.lab.experiments.php._loads import Shares, plateau
from breakstep.lab.experiments.php._logs import nginx_lines
from breakstep.lab.experiments.php._readings import (
    heaviest,
    highest,
    highest_text,
    in_the_heaviest,
    shares_text,
    status_share,
)
from breakstep.lab.stack import Stack
from breakstep.lab.stacks.php import NEEDS, Site
from breakstep.lab.truths import figure
from breakstep.model.record import StepRecord

BACKLOG = 511
REFUSED, GIVEN_UP = 502, 504
SOME = 0.02
AT_ONCE_MS, PATIENCE_MS = 100.0, 4900.0
BEYOND = Shares("/api/db", (0.5, 1.5), plateau, {"hold": "8s", "warmup": "7s", "abort": False})
"""The backlog is full within seconds; at a port the first 504 takes five more."""


def _beyond(stack: Stack, bench: Bench) -> Measured:
    """Half as much again as the site carries, and how long those waited who got nothing."""
    measured = BEYOND(stack, bench)
    lines = nginx_lines(Path(stack.facts["nginx_log"]))
    waited = {
        f"p50_of_{status}_ms": median(times)
        for status in (REFUSED, GIVEN_UP)
        if (times := [line.took_ms for line in lines if line.status == status])
    }
    return replace(measured, figures={**measured.figures, **waited})


def _only(wanted: int, never: int) -> Callable[[Measured, StepRecord], Held]:
    def judge(_measured: Measured, step: StepRecord) -> Held:
        right = status_share(step, wanted) > SOME and status_share(step, never) == 0.0
        return Held(right, shares_text(step))

    return judge


def _blind(found: Found) -> Held:
    """What php-fpm says of the same queue at a unix socket and at a port."""
    unix, tcp = (highest(found[key], "php-fpm", "queue") for key in ("unix", "tcp"))
    if unix is None or tcp is None:
        return Held(None, "php-fpm's status page was not read")
    return Held(unix == 0.0 and tcp >= BACKLOG, f"{unix:.0f} at the socket, {tcp:.0f} at the port")


def _told(found: Found) -> Held:
    """The probe says it where the answer is read."""
    result = found["unix"].result
    caveats = () if result is None else result.answer.caveats
    said = next((text for text in caveats if "unix socket" in text), None)
    return Held(said is not None, said or "no caveat says so")


def _answers(key: str) -> Callable[[Found], str]:
    def read(found: Found) -> str:
        step = heaviest(found[key])
        return "not trusted" if step is None else shares_text(step)

    return read


def _wait(key: str, status: int) -> Callable[[Found], str]:
    def read(found: Found) -> str:
        wait_ms = found[key].figures.get(f"p50_of_{status}_ms")
        return "none" if wait_ms is None else f"p50 {wait_ms:.0f} ms"

    return read


EXPERIMENT = Experiment(
    name="php/unix",
    title="a full backlog, at a unix socket and at a port",
    shows="When the backlog is full, a unix socket refuses at once and php-fpm's status page says "
    "that nothing waits; a port leaves the rest to time out, and the page shows the queue.",
    needs=NEEDS,
    runs=(Run("unix", Site(unix=True), _beyond), Run("tcp", Site(), _beyond)),
    truths=(
        in_the_heaviest("unix: some get 502, nobody 504", "unix", _only(REFUSED, GIVEN_UP)),
        figure(
            "unix: half of the refused wait less than 100 ms",
            "unix",
            f"p50_of_{REFUSED}_ms",
            at_most=AT_ONCE_MS,
        ),
        in_the_heaviest("tcp: some get 504, nobody 502", "tcp", _only(GIVEN_UP, REFUSED)),
        figure(
            "tcp: those wait the five seconds of nginx",
            "tcp",
            f"p50_of_{GIVEN_UP}_ms",
            at_least=PATIENCE_MS,
        ),
        Truth("php-fpm shows the queue at a port, and 0 at a socket", ("unix", "tcp"), _blind),
        Truth("the user is told that the status page is blind", ("unix",), _told),
    ),
    elsewhere=(
        Figure("answers at a unix socket", "34 % refused", _answers("unix")),
        Figure("the refused wait", "p50 4 ms", _wait("unix", REFUSED)),
        Figure("answers at a port", "504 after 5 s", _answers("tcp")),
        Figure("those wait", "5 s", _wait("tcp", GIVEN_UP)),
        Figure("queue on the status page", "512 of 511", highest_text("tcp", "php-fpm", "queue")),
    ),
)
