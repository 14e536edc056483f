"""A Node server that echoes bodies and logs what it received."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from breakstep.lab.servers.process import child, printed_port
from breakstep.lab.servers.programs import program

_SCRIPT = Path(__file__).with_name("node_server.js")


@dataclass(frozen=True, slots=True)
class LogLine:
    """One request as Node saw it."""

    method: str
    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Node:
    """A running Node server."""

    address: str
    log: Path

    def requests(self) -> list[LogLine]:
        """Its log so far; a request is there once its response is handed to the kernel."""
        return [LogLine(**json.loads(line)) for line in self.log.read_text().splitlines()]


@contextmanager
def node(home: Path) -> Iterator[Node]:
    """Starts Node with its log in `home`."""
    log, output = home / "requests.log", home / "output.log"
    log.touch()
    with child([program("node"), str(_SCRIPT), str(log)], output) as process:
        yield Node(f"127.0.0.1:{printed_port(process, output)}", log)
