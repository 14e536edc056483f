"""Stacks of the model server: collapse, stalls, a hogged generator, nothing to see."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from acceptance.hog import hog
from bottlenecks.stack import GENERATOR_CORE, Running, Stack
from breakstep.lab.servers.process import child, free_port, wait_for_port

SERVERS, MANY_SERVERS, SERVICE_S = 4, 20, 0.02
CAPACITY_PER_S = SERVERS / SERVICE_S


@contextmanager
def _target(home: Path, *flags: str, servers: int = SERVERS) -> Iterator[tuple[str, int]]:
    """The URL and the process id of a model server."""
    port, log = free_port(), home / "target.log"
    where = ("--listen", f"127.0.0.1:{port}", "--servers", str(servers))
    service = ("--service", f"constant:{SERVICE_S * 1000:g}ms")
    with child([sys.executable, "-m", "breakstep", "target", *where, *service, *flags], log) as one:
        wait_for_port(port, one, log)
        yield f"http://127.0.0.1:{port}/", one.pid


@contextmanager
def _collapsing(home: Path) -> Iterator[Running]:
    with _target(home, "--give-up", "300ms") as (url, pid):
        yield Running(
            url,
            CAPACITY_PER_S,
            [f"process:{pid}", "host"],
            {"abort": False, "arrivals": "uniform"},
        )


@contextmanager
def _stalling(home: Path) -> Iterator[Running]:
    with _target(home, "--stall", "250ms/1s", servers=MANY_SERVERS) as (url, pid):
        carries = MANY_SERVERS / SERVICE_S
        yield Running(
            url, carries, [f"process:{pid}", "host"], {"slo": ["p90<100ms"], "abort": False}
        )


@contextmanager
def _hogged(home: Path) -> Iterator[Running]:
    with _target(home) as (url, pid), hog(GENERATOR_CORE), hog(GENERATOR_CORE):
        yield Running(
            url,
            CAPACITY_PER_S,
            [f"process:{pid}", "host"],
            {"slo": ["p99<30ms"], "pin": [GENERATOR_CORE]},
        )


@contextmanager
def _unseen(home: Path) -> Iterator[Running]:
    with _target(home) as (url, _):
        yield Running(url, CAPACITY_PER_S)


STACKS = (
    Stack("give-up", "congestion_collapse", "", _collapsing, (0.5, 0.9, 1.5, 2.0)),
    Stack("stalls", "host_noise", "host", _stalling, (0.2, 0.3, 0.4, 0.5)),
    Stack("hogged generator", "generator", "", _hogged),
    Stack("no probes", "not_observed", "", _unseen),
)
