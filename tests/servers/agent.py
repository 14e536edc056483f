"""`breakstep agent` as a process of its own."""

import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from breakstep.lab.servers.process import child

TOKEN = "a-token-that-only-tests-know"  # noqa: S105 - and that is no secret
_START_S = 20.0
# Python runs a file of this name first, whatever it is started for.
_CLOCK_AHEAD = "import time; real = time.time; time.time = lambda: real() + {ahead_s}\n"


@dataclass(frozen=True, slots=True)
class Agent:
    """A running agent."""

    address: str
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def spec(self) -> str:
        """The probe that reads it, token and all."""
        return f"agent:{self.address},token={TOKEN}"


@contextmanager
def agent(
    home: Path,
    probes: Sequence[str],
    *flags: str,
    before: Sequence[str] = (),
    clock_ahead_s: float = 0.0,
) -> Iterator[Agent]:
    """Starts one on a free port of loopback unless `flags` say otherwise.

    `before` goes before the command line; `clock_ahead_s` sets the clock of that process alone.
    """
    token, log = home / "token", home / "agent.log"
    token.write_text(f"{TOKEN}\n")
    if clock_ahead_s:
        (home / "sitecustomize.py").write_text(_CLOCK_AHEAD.format(ahead_s=clock_ahead_s))
        before = (*before, "env", f"PYTHONPATH={home}")
    given = [part for probe in probes for part in ("--probe", probe)]
    listen = () if "--listen" in flags else ("--listen", "127.0.0.1:0")
    command = [
        *(*before, sys.executable, "-m", "breakstep", "agent", "--token-file", str(token)),
        *(*given, *listen, *flags),
    ]
    with child(command, log) as process:
        yield Agent(_address(process, log), process, log)


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    give_up = time.monotonic() + _START_S
    while time.monotonic() < give_up and process.poll() is None:
        match = re.search(r"agent listening on (\S+)\n", log.read_text())
        if match:
            return match[1]
        time.sleep(0.02)
    raise RuntimeError(f"the agent did not listen: {log.read_text()}")
