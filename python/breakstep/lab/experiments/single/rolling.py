"""A rolling restart under load: what it costs to go without saying goodbye."""

import json
import os
import signal
import threading
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from breakstep.lab.experiment import Bench, Experiment, Figure, Found, Measured, Run
from breakstep.lab.loads import Fixed
from breakstep.lab.stack import Stack
from breakstep.lab.stacks.single import cluster
from breakstep.lab.truths import figure

WORKERS, RATE_PER_S = 2, 200.0
BUSY, RESTART_AFTER_S = 150, 2.0
"""So many requests have reached a process only when the load is there: the restart comes then."""
LOOK_S = 0.1
REPLACED = "replaced"


@dataclass(frozen=True, slots=True)
class Restarted:
    """A steady load, and a rolling restart in the middle of it."""

    load: Fixed

    def __call__(self, stack: Stack, bench: Bench) -> Measured:
        """Offers the load; the restart comes from beside it."""
        over = threading.Event()
        restart = threading.Thread(target=_restart, args=(stack, over))
        restart.start()
        try:
            measured = self.load(stack, bench)
        finally:
            over.set()
            restart.join()
        replaced = REPLACED in Path(str(stack.facts["output"])).read_text()
        steps = () if measured.result is None else measured.result.steps
        figures = {
            "failed": float(sum(step.arrivals - step.ok for step in steps)),
            "resent": float(sum(step.retried for step in steps)),
            "replaced": float(replaced),
        }
        return Measured(measured.result, figures, stack.facts)


def _restart(stack: Stack, over: threading.Event) -> None:
    """In the middle of the load, unless that is over before."""
    while not over.wait(LOOK_S):
        if _asked(stack.url) >= BUSY:
            if not over.wait(RESTART_AFTER_S):
                os.kill(stack.processes["app"], signal.SIGHUP)
            return


def _asked(url: str) -> int:
    """The requests that reached the process that answers."""
    with urllib.request.urlopen(f"{url}/health", timeout=10.0) as answer:  # noqa: S310  ours
        return int(json.load(answer)["total"])


OPTIONS = {"hold": "8s", "warmup": "1s", "keep_alive": False}
"""On a connection that was kept the client would send once more what was lost, and hide it."""
LOAD = Restarted(Fixed("/slow-async?ms=50", ("errors<1%",), (RATE_PER_S,), OPTIONS))


def _abrupt(found: Found) -> str:
    return f"{found['abrupt'].figures['failed']:.0f} requests"


def _graceful(found: Found) -> str:
    return f"{found['graceful'].figures['failed']:.0f} requests"


EXPERIMENT = Experiment(
    name="single/rolling",
    title="a restart that nobody notices",
    shows="Two processes are replaced one after the other under 200 requests a second: the ones "
    "that just go take what they had begun with them, the ones that finish first lose nothing.",
    needs=("node",),
    runs=(
        Run("abrupt", cluster(WORKERS, graceful=False), LOAD),
        Run("graceful", cluster(WORKERS, graceful=True), LOAD),
    ),
    truths=(
        figure("abrupt: both processes were replaced", "abrupt", "replaced", at_least=1.0),
        figure("abrupt: requests fail", "abrupt", "failed", at_least=1.0),
        figure("graceful: both processes were replaced", "graceful", "replaced", at_least=1.0),
        figure("graceful: not one request fails", "graceful", "failed", at_most=0.0),
    ),
    elsewhere=(
        Figure("failed without a graceful end", "not measured", _abrupt),
        Figure("failed with one", "not measured", _graceful),
    ),
)
