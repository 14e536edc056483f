"""`lab up` and `lab down`: a stack for as long as somebody wants it."""

import shlex
import signal
import time
from collections.abc import Callable
from pathlib import Path

from breakstep.lab import catalog
from breakstep.lab.experiment import Experiment, Run
from breakstep.lab.home import base_directory, homes, lab_home
from breakstep.lab.leftovers import clean, gone, stop
from breakstep.lab.needs import require
from breakstep.lab.place import Place, allowed_cores
from breakstep.lab.servers.record import of_process
from breakstep.lab.stack import Stack
from breakstep.model.errors import LabError, PlanError

Say = Callable[[str], None]
_LOOK_S = 0.2
_DOWN_S = 30.0


def bring_up(name: str, key: str | None, say: Say) -> None:
    """Puts up the stack of one of an experiment's runs, until interrupted.

    Raises PlanError, or LabError when one of its servers ends by itself.
    """
    experiment, run = _named(name, key)
    require(experiment.needs)
    base = base_directory()
    clean_up(base, say)
    cores = allowed_cores()
    say(f"putting up {experiment.name} {run.key}: {cores}")
    with (
        lab_home(experiment.name, base) as home,
        run.stack(Place(home, cores)) as stack,
    ):
        for line in _described(stack):
            say(line)
        _watch(stack)


def down(say: Say) -> None:
    """Asks every lab that is up to end, waits for that, and cleans up what was left."""
    base = base_directory()
    up = [(home.name, home.supervisor) for home in homes(base) if home.alive]
    for name, supervisor in up:
        if supervisor is not None:
            say(f"stopping {name} (process {supervisor.pid})")
            stop(supervisor, signal.SIGTERM)
    if not gone([one for _, one in up if one is not None], _DOWN_S):
        raise LabError(f"a lab did not end within {_DOWN_S:g} s; `kill -9` it and run this again")
    clean_up(base, say)
    if not up:
        say("no lab is up")


def clean_up(base: Path, say: Say) -> None:
    """Ends what labs left whose supervisor was killed, and says so."""
    for cleaned in clean(base):
        say(f"cleaned up {cleaned.name}, which was killed: {cleaned.processes} processes ran still")


def _named(name: str, key: str | None) -> tuple[Experiment, Run]:
    chosen = catalog.chosen([name])
    if len(chosen) != 1:
        raise PlanError([f"{name!r} is a group: name one of its experiments"])
    runs = {run.key: run for run in chosen[0].runs}
    if key is not None and key not in runs:
        raise PlanError([f"--run: {key!r} is none of {', '.join(runs)}"])
    return chosen[0], runs[key] if key is not None else chosen[0].runs[0]


def _described(stack: Stack) -> list[str]:
    probes = " ".join(f"--probe {shlex.quote(probe)}" for probe in stack.probes)
    return [
        *(f"{role}: process {pid}" for role, pid in stack.processes.items()),
        *(f"{what}: {version}" for what, version in stack.versions.items()),
        f"ready at {stack.url}",
        f"try: breakstep find {stack.url}/ {probes}",
        "Ctrl-C, or `breakstep lab down`, stops it",
    ]


def _watch(stack: Stack) -> None:
    while True:
        for role, pid in stack.processes.items():
            if of_process(pid) is None:
                raise LabError(f"{role} (process {pid}) has ended by itself")
        time.sleep(_LOOK_S)
