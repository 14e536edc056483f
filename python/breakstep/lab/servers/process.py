"""Child processes and free ports.

A child never outlives us for long: the kernel sends it a signal when we die, and its record says to
whoever comes next what may have been left (see `breakstep.lab.leftovers`).
"""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from breakstep.lab.servers.programs import program
from breakstep.lab.servers.record import MARKER, recorded
from breakstep.model.errors import LabError

_START_S = 20.0
_STOP_S = 10.0
_LOOK_S = 0.01
_LOG_MAX = 4000
"""Characters of a server's own words in an error."""


@contextmanager
def child(
    command: Sequence[str],
    log: Path,
    *,
    environment: Mapping[str, str] | None = None,
    farewell: signal.Signals = signal.SIGTERM,
) -> Iterator[subprocess.Popen[bytes]]:
    """Runs a command, its output going to `log`; stops it by its process id on leaving.

    `farewell` is the signal that asks it to stop; what does not is killed with its whole process
    group, which is its own.
    """
    with (
        log.open("wb") as output,
        subprocess.Popen(  # noqa: S603  the labs are made of programs
            [*_leash(farewell), *command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(environment or {}), MARKER: str(log.parent)},
            process_group=0,
        ) as process,
        recorded(process.pid, log),
    ):
        try:
            yield process
        finally:
            _stop(process, farewell)


def free_port(host: str = "127.0.0.1") -> int:
    """A TCP port nobody listened on a moment ago."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


def wait_for_port(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    """Returns once 127.0.0.1:`port` accepts. Raises LabError with the server's own words."""
    give_up = time.monotonic() + _START_S
    while time.monotonic() < give_up and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1.0).close()
        except (ConnectionRefusedError, TimeoutError):
            time.sleep(_LOOK_S)
        else:
            return
    raise LabError(f"{_name(process)} did not listen on {port}: {words(log)}")


def wait_for_path(path: Path, process: subprocess.Popen[bytes], log: Path) -> None:
    """Returns once `path` is there, a socket for instance. Raises LabError."""
    give_up = time.monotonic() + _START_S
    while not path.exists():
        if time.monotonic() > give_up or process.poll() is not None:
            raise LabError(f"{_name(process)} did not listen on {path}: {words(log)}")
        time.sleep(_LOOK_S)


def printed_port(process: subprocess.Popen[bytes], output: Path) -> int:
    """The port a server prints as its first line. Raises LabError with its own words."""
    give_up = time.monotonic() + _START_S
    while time.monotonic() < give_up and process.poll() is None:
        first, newline, _ = output.read_text(errors="replace").partition("\n")
        if newline and first.isdecimal():
            return int(first)
        if newline:
            break
        time.sleep(_LOOK_S)
    raise LabError(f"{_name(process)} did not print its port: {words(output)}")


def words(log: Path) -> str:
    """The end of what a server said."""
    return log.read_text(errors="replace")[-_LOG_MAX:].strip() or "it said nothing"


def _leash(farewell: signal.Signals) -> Sequence[str]:
    """What goes before a command so that the kernel tells it when we die."""
    return (program("setpriv"), "--pdeathsig", farewell.name.removeprefix("SIG"), "--")


def _name(process: subprocess.Popen[bytes]) -> str:
    args = process.args
    return " ".join(args[len(_leash(signal.SIGTERM)) :]) if isinstance(args, list) else str(args)


def _stop(process: subprocess.Popen[bytes], farewell: signal.Signals) -> None:
    process.send_signal(farewell)
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        # It is not reaped yet, so the group of its number is still its own.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
