"""Plain Node without a database: one process, or a cluster that can be restarted."""

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from breakstep.lab.place import Place
from breakstep.lab.servers.node_app import node_app
from breakstep.lab.servers.programs import program
from breakstep.lab.stack import Factory, Stack

APP = Path(__file__).parent.parent / "apps" / "single" / "app.js"


@contextmanager
def single(place: Place) -> Iterator[Stack]:
    """One process, on the app's core."""
    with _node(place, {}) as stack:
        yield stack


def cluster(workers: int, *, graceful: bool) -> Factory:
    """A first process with this many workers, which it replaces one by one on SIGHUP."""

    @contextmanager
    def start(place: Place) -> Iterator[Stack]:
        environment = {"WORKERS": str(workers), "GRACEFUL": "1" if graceful else "0"}
        with _node(place, environment, preload=False) as stack:
            yield stack

    return start


@contextmanager
def _node(place: Place, environment: Mapping[str, str], *, preload: bool = True) -> Iterator[Stack]:
    with node_app(
        place.home, APP, environment=environment, preload=preload, prefix=place.app
    ) as app:
        probes = [f"process:{app.pid},name=app", f"listen:{app.address.rpartition(':')[2]}", "host"]
        yield Stack(
            url=f"http://{app.address}",
            probes=(*probes, f"node:{app.probe}") if preload else tuple(probes),
            processes={"app": app.pid},
            versions={"node": node_version()},
            facts={"output": str(app.output)},
        )


def node_version() -> str:
    """Such as `v20.11.1`."""
    command = [program("node"), "--version"]
    return subprocess.run(  # noqa: S603  our own command line
        command, capture_output=True, text=True, check=True
    ).stdout.strip()
