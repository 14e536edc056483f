"""`breakstep lab` as processes of their own, with a directory of labs that is the test's."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from acceptance.command import BREAKSTEP

_READY_S = 60.0


@dataclass(frozen=True, slots=True)
class Up:
    """A lab that is up: its supervisor, where it answers, the process of its app."""

    supervisor: subprocess.Popen[bytes]
    url: str
    app: int
    log: Path

    def ended(self, number: signal.Signals) -> int:
        """Sends a signal to the supervisor and waits for its exit code."""
        self.supervisor.send_signal(number)
        return self.supervisor.wait(_READY_S)


def own_labs(folder: Path) -> Mapping[str, str]:
    """The environment in which labs live below `folder`."""
    return {**os.environ, "TMPDIR": str(folder), "XDG_RUNTIME_DIR": str(folder)}


def base_of(folder: Path) -> Path:
    """Where the labs of that environment are."""
    return folder / f"breakstep-labs-{os.geteuid()}"


@contextmanager
def up(name: str, folder: Path, log: str = "up.log") -> Iterator[Up]:
    """`breakstep lab up NAME`, once it is ready; stopped on leaving if it runs still."""
    output = folder / log
    command = [*BREAKSTEP, "lab", "up", name]
    with (
        output.open("wb") as file,
        subprocess.Popen(
            command, stdout=file, stderr=subprocess.STDOUT, env=own_labs(folder)
        ) as process,
    ):
        try:
            text = _ready(process, output)
            yield Up(
                process,
                _said(r"ready at (\S+)", text),
                int(_said(r"app: process (\d+)", text)),
                output,
            )
        finally:
            process.terminate()


def _ready(process: subprocess.Popen[bytes], output: Path) -> str:
    give_up = time.monotonic() + _READY_S
    while time.monotonic() < give_up and process.poll() is None:
        text = output.read_text()
        if "stops it" in text:
            return text
        time.sleep(0.05)
    raise RuntimeError(f"the lab did not come up: {output.read_text()}")


def _said(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    assert found is not None, text
    return found[1]


def carried_out(name: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """`breakstep lab run NAME` to its end, its files in `out`."""
    return subprocess.run(
        [*BREAKSTEP, "lab", "run", name, "--out", str(folder / "out")],
        env=own_labs(folder),
        capture_output=True,
        text=True,
        check=False,
    )
