"""What happens between two runs: a command of the user's, and the target coming back."""

import subprocess
import time
from collections.abc import Callable

from breakstep._engine import Engine
from breakstep.engine.contact import Contact, first_contact
from breakstep.model.errors import TargetError

COMMAND_S = 300
BACK_S = 60.0
PAUSE_S = 0.5


def between_runs(
    command: str | None, engine: Engine, stopping: Callable[[], bool], flag: str = "--between"
) -> Contact:
    """Runs the command, waits until the target answers. Raises TargetError if either fails."""
    if command is not None:
        _run(command, flag)
    until = time.monotonic() + BACK_S
    while True:
        contact = first_contact(engine, stopping)
        if contact.median_ns is not None or stopping():
            return contact
        if time.monotonic() > until:
            raise TargetError(
                f"the target did not answer for {BACK_S:.0f} s after the last run: "
                f"does the command of {flag} start it again?"
            )
        time.sleep(PAUSE_S)


def _run(command: str, flag: str) -> None:
    try:
        # The user's own command line, as a shell reads it.
        done = subprocess.run(  # noqa: S602
            command, shell=True, check=False, timeout=COMMAND_S, capture_output=True, text=True
        )
    except subprocess.TimeoutExpired as error:
        raise TargetError(f"{flag}: the command took longer than {COMMAND_S} s") from error
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise TargetError(
            f"{flag}: the command failed with {done.returncode}"
            + (f": {said[-1]}" if said else "; it said nothing")
        )
