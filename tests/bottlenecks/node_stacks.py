"""Stacks of Node: a busy event loop, and PostgreSQL behind a pool."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from bottlenecks.stack import SERVER_CORE, Running, Stack, on_core, unloaded_s
from breakstep.lab.servers.node_app import node_app
from breakstep.lab.servers.postgres import Postgres, postgres
from servers.scripts import JS

ROUNDS = 20_000
"""Of pbkdf2Sync: milliseconds in which the loop does nothing else."""
POOL = 5
SLEEP_S = 0.03
ROWS = 30_000
"""That the heavy query adds up: milliseconds of a backend's CPU."""


@contextmanager
def _blocking(home: Path) -> Iterator[Running]:
    with node_app(home, JS / "app.js") as app:
        url = f"http://{app.address}/cpu?{ROUNDS}"
        port = app.address.rpartition(":")[2]
        yield Running(
            url,
            1.0 / unloaded_s(url),
            [f"node:{app.probe}", f"process:{app.pid}", f"listen:{port}", "host"],
        )


@contextmanager
def _pooled(home: Path, path: str, capacity_per_s: float | None) -> Iterator[Running]:
    """Node in front of PostgreSQL, which has a core of its own."""
    with postgres(prefix=on_core(SERVER_CORE)) as database, _app(home, database) as running:
        url = f"{running.url}{path}"
        carries = 1.0 / unloaded_s(url) if capacity_per_s is None else capacity_per_s
        yield Running(url, carries, running.probes)


@contextmanager
def _app(home: Path, database: Postgres) -> Iterator[Running]:
    environment: Mapping[str, str] = {"PG_DSN": database.dsn(), "PG_POOL": str(POOL)}
    with node_app(home, JS / "pooled.js", environment=environment) as app:
        probes = [
            f"node:{app.probe}",
            f"process:{app.pid},name=app",
            f"postgres:{database.dsn()},name=db",
            "host",
        ]
        yield Running(f"http://{app.address}", 0.0, probes)


@contextmanager
def _heavy(home: Path) -> Iterator[Running]:
    with _pooled(home, f"/heavy?{ROWS}", None) as running:
        yield running


@contextmanager
def _sleeping(home: Path) -> Iterator[Running]:
    with _pooled(home, f"/sleep?{SLEEP_S}", POOL / SLEEP_S) as running:
        yield running


STACKS = (
    Stack("node pbkdf2Sync", "event_loop", "node", _blocking),
    Stack("node, heavy query", "database_cpu", "db", _heavy),
    Stack("node, pg_sleep", "connection_pool", "node|pool|pg", _sleeping),
)
