"""A stack of Go that allocates in its hot path beside a large live heap."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bottlenecks.stack import Running, Stack, unloaded_s
from servers.go import go_app

LIVE_MIB = "256"
OBJECTS = 20_000


@contextmanager
def _allocating(home: Path) -> Iterator[Running]:
    environment = {"LIVE_MIB": LIVE_MIB, "GOMAXPROCS": "1", "GOGC": "25"}
    with go_app(home, environment) as app:
        url = f"http://{app.address}/alloc?{OBJECTS}"
        probes = [f"go:{app.vars_url}", f"process:{app.pid},name=app", "host"]
        yield Running(url, 1.0 / unloaded_s(url), probes)


STACKS = (Stack("go, allocating", "garbage_collection", "go|app", _allocating),)
