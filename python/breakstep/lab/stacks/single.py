"""Plain Node without a database: one process, or a cluster that can be restarted."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from breakstep.lab.place import Place
from breakstep.lab.servers.node_app import node_app
from breakstep.lab.servers.process import child
from breakstep.lab.servers.programs import program
from breakstep.lab.servers.versions import version
from breakstep.lab.stack import Factory, Stack

APP = Path(__file__).parent.parent / "apps" / "single" / "app.js"


@contextmanager
def single(place: Place) -> Iterator[Stack]:
    """One process, on the app's core."""
    with _node(place, {}) as stack:
        yield stack


def crowded(hogs: int) -> Factory:
    """One process, and so many endless loops on the generator's own core."""

    @contextmanager
    def start(place: Place) -> Iterator[Stack]:
        with single(place) as stack, ExitStack() as running:
            for number in range(hogs):
                command = [*place.generator, sys.executable, "-c", "while True: pass"]
                running.enter_context(child(command, place.home / f"hog-{number}.log"))
            yield stack

    return start


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
            versions={"node": version([program("node"), "--version"])},
            facts={"output": str(app.output)},
        )
