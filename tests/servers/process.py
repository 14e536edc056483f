"""Child processes and free ports."""

import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

_START_S = 10.0
_STOP_S = 5.0


@contextmanager
def child(command: Sequence[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Runs a command, its output going to `log`; stops it by its process id on leaving."""
    with (
        log.open("wb") as output,
        subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT) as process,
    ):
        try:
            yield process
        finally:
            _stop(process)


def free_port(host: str = "127.0.0.1") -> int:
    """A TCP port nobody listened on a moment ago."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


def wait_for_port(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    """Returns once 127.0.0.1:`port` accepts. Raises RuntimeError with the server's own words."""
    give_up = time.monotonic() + _START_S
    while time.monotonic() < give_up and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1.0).close()
        except ConnectionRefusedError:
            time.sleep(0.01)
        else:
            return
    raise RuntimeError(f"{process.args!r} did not listen on {port}: {log.read_text()}")


def printed_port(process: subprocess.Popen[bytes], output: Path) -> int:
    """The port a server prints as its first line. Raises RuntimeError with its own words."""
    give_up = time.monotonic() + _START_S
    while time.monotonic() < give_up and process.poll() is None:
        text = output.read_text()
        if text.endswith("\n"):
            return int(text.splitlines()[0])
        time.sleep(0.01)
    raise RuntimeError(f"{process.args!r} did not start: {output.read_text()}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
