"""Node apps under the preload, alone or as a cluster."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from breakstep.lab.servers.process import child, free_port, printed_port, wait_for_port
from breakstep.lab.servers.programs import program
from breakstep.probe.node import PRELOAD


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
    script: Path,
    *arguments: str,
    preload: bool = True,
    probe_port: int | None = None,
    environment: Mapping[str, str] | None = None,
    prefix: Sequence[str] = (),
) -> Iterator[NodeApp]:
    """Starts a script that prints its port as its first line. `prefix`: `taskset -c 1`."""
    port, output = probe_port or free_port(), home / f"{free_port()}.log"
    require = ["--require", str(PRELOAD)] if preload else []
    command = [*prefix, program("node"), *require, str(script), *arguments]
    variables = {"BREAKSTEP_NODE_PORT": str(port), **(environment or {})}
    with child(command, output, environment=variables) as process:
        address = f"127.0.0.1:{printed_port(process, output)}"
        if preload:
            # It listens in a thread of its own, not always before the app does.
            wait_for_port(port, process, output)
        yield NodeApp(address, f"127.0.0.1:{port}", process.pid, output)
