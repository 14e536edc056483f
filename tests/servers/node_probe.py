"""Node apps under the preload, alone or as a cluster."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from breakstep.probe.node import PRELOAD
from servers.process import child, free_port, printed_port

SCRIPTS = Path(__file__).with_name("js")


@dataclass(frozen=True, slots=True)
class NodeApp:
    """A running app: its address, where its preload answers, the process that was started."""

    address: str
    probe: str
    pid: int
    output: Path


@contextmanager
def node_app(
    home: Path,
    script: str = "app.js",
    *,
    preload: bool = True,
    probe_port: int | None = None,
    environment: Mapping[str, str] | None = None,
) -> Iterator[NodeApp]:
    """Starts a script of `js/`, or one by its path, that prints its port as its first line."""
    port, output = probe_port or free_port(), home / f"{free_port()}.log"
    require = ["--require", str(PRELOAD)] if preload else []
    variables = {"BREAKSTEP_NODE_PORT": str(port), **(environment or {})}
    settings = [f"{name}={value}" for name, value in variables.items()]
    command = [_program("env"), *settings, _program("node"), *require, str(SCRIPTS / script)]
    with child(command, output) as process:
        address = f"127.0.0.1:{printed_port(process, output)}"
        yield NodeApp(address, f"127.0.0.1:{port}", process.pid, output)


def _program(name: str) -> str:
    program = shutil.which(name)
    if program is None:
        raise RuntimeError(f"{name} is not installed: run `make system`")
    return program
