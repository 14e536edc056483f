"""A Node server whose event loop stands still for every request: `blocking.js`."""

import http.client
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from breakstep.lab.servers.process import child
from breakstep.lab.servers.programs import program

_SCRIPT = Path(__file__).with_name("blocking.js")
_START_S = 10.0
_WAIT_S = 30.0


@dataclass(frozen=True, slots=True)
class Blocking:
    """A running one. `where` is its port or the path of its socket."""

    where: str
    pid: int

    def connect(self) -> socket.socket:
        """A connection to it."""
        if self.where.isdecimal():
            return socket.create_connection(("127.0.0.1", int(self.where)), timeout=_WAIT_S)
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(_WAIT_S)
        client.connect(self.where)
        return client


def ask(client: socket.socket, iterations: int) -> int:
    """Sends a request and does not wait. The bytes that it takes."""
    request = f"GET /?iterations={iterations} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    client.sendall(request)
    return len(request)


def answer(client: socket.socket) -> int:
    """The requests that the app believed to be in flight when it answered."""
    response = http.client.HTTPResponse(client)
    response.begin()
    return int(response.read())


@contextmanager
def blocking(home: Path, path: str | None = None) -> Iterator[Blocking]:
    """Starts Node on a free loopback port, or on a unix socket at `path`."""
    log = home / "blocking.log"
    with child([program("node"), str(_SCRIPT), *([path] if path else [])], log) as process:
        yield Blocking(_printed(process, log), process.pid)


def _printed(process: subprocess.Popen[bytes], log: Path) -> str:
    give_up = time.monotonic() + _START_S
    while time.monotonic() < give_up and process.poll() is None:
        if (text := log.read_text()).endswith("\n"):
            return text.strip()
        time.sleep(0.01)
    raise RuntimeError(f"node did not start: {log.read_text()}")
