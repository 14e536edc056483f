"""Stacks of nginx and php-fpm: CPU, waiting workers, a wrong limit, a full backlog."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bottlenecks.stack import SERVER_CORE, Running, Stack, on_core
from breakstep import Result
from breakstep.lab.servers.nginx_front import Front, nginx_front
from breakstep.lab.servers.php_fpm import PhpFpm, Pool, php_fpm
from breakstep.lab.servers.postgres import Postgres, postgres
from servers.scripts import php_behind

CPU_MS = 5
WORKERS, SLEEP_S = 5, 0.1
CROWD, ALLOWED, RESERVED = 24, 20, 3
"""Workers that keep a connection each, those that get one, and those kept for superusers."""
BACKLOG, WAIT_S, PATIENCE_MS = 8, 0.05, 2000


@contextmanager
def _served(home: Path, pool: Pool, patience_ms: int = 5000) -> Iterator[tuple[str, PhpFpm]]:
    """The address of nginx in front of a pool of PHP."""
    with php_fpm(home, pool) as fpm:
        front = Front(
            php_behind(fpm.listen), read_timeout_ms=patience_ms, connect_timeout_ms=patience_ms
        )
        with nginx_front(home, front) as nginx:
            yield nginx.address, fpm


def _probes(fpm: PhpFpm) -> list[str]:
    where = fpm.listen.removeprefix("unix:").removeprefix("127.0.0.1:")
    return [fpm.probe, f"process:{fpm.process.pid},name=php", f"listen:{where}", "host"]


def _keeping_connections(database: Postgres, user: str, workers: int) -> Pool:
    """Workers that keep one connection each."""
    dsn = f"pgsql:host=127.0.0.1;port={database.port};dbname=postgres"
    environment = {"PG_DSN": dsn, "PG_USER": user, "PG_PERSISTENT": "1"}
    return Pool(workers=workers, environment=environment)


@contextmanager
def _computing(home: Path) -> Iterator[Running]:
    pool = Pool(workers=4, prefix=on_core(SERVER_CORE))
    with _served(home, pool) as (address, fpm):
        yield Running(
            f"http://{address}/cpu.php?ms={CPU_MS}", 1000.0 / (CPU_MS * 1.2), _probes(fpm)
        )


@contextmanager
def _waiting(home: Path) -> Iterator[Running]:
    with postgres() as database:
        pool = _keeping_connections(database, "postgres", WORKERS)
        with _served(home, pool) as (address, fpm):
            probes = [*_probes(fpm), f"postgres:{database.dsn()},name=db"]
            url = f"http://{address}/pg_sleep.php?ms={SLEEP_S * 1000:g}"
            yield Running(url, WORKERS / SLEEP_S, probes, {"slo": "p95<300ms"})


@contextmanager
def _crowded(home: Path) -> Iterator[Running]:
    settings = {
        # One of the places is the probe's.
        "max_connections": str(ALLOWED + 1 + RESERVED),
        "superuser_reserved_connections": str(RESERVED),
    }
    with postgres(settings) as database:
        database.run("create role app login")
        pool = _keeping_connections(database, "app", CROWD)
        with _served(home, pool) as (address, fpm):
            probes = [*_probes(fpm), f"postgres:{database.dsn()},name=db"]
            url = f"http://{address}/pg_sleep.php?ms=10"
            yield Running(url, 400.0, probes, {"abort": False, "hold": "5s", "warmup": "1s"})


@contextmanager
def _overflowing(home: Path, *, unix: bool) -> Iterator[Running]:
    pool = Pool(workers=2, backlog=BACKLOG, unix=unix)
    with _served(home, pool, PATIENCE_MS) as (address, fpm):
        url = f"http://{address}/wait.php?ms={WAIT_S * 1000:g}"
        yield Running(url, 2 / WAIT_S, _probes(fpm), {"slo": ["p95<1s", "errors<1%"], "hold": "3s"})


@contextmanager
def _overflowing_unix(home: Path) -> Iterator[Running]:
    with _overflowing(home, unix=True) as running:
        yield running


@contextmanager
def _overflowing_tcp(home: Path) -> Iterator[Running]:
    with _overflowing(home, unix=False) as running:
        yield running


def _constant_share(result: Result) -> None:
    """The excess over the total, within two points; that it is the same at every load is a rule."""
    failed = sum(step.outcomes["http_error"] for step in result.steps)
    arrivals = sum(step.arrivals for step in result.steps)
    assert failed / arrivals == pytest.approx(1.0 - ALLOWED / CROWD, abs=0.02)


def _refused_at_once(result: Result) -> None:
    """Over a unix socket nginx answers 502 as soon as the backlog is full."""
    last = result.steps[-1]
    assert last.statuses.get(502, 0) > 0
    assert last.statuses.get(504, 0) == 0


def _given_up_later(result: Result) -> None:
    """Over TCP it answers 504 when its patience is over."""
    assert any(step.statuses.get(504, 0) > 0 for step in result.steps)


FAR = (0.25, 0.4, 0.55, 0.7, 2.5)
STACKS = (
    Stack("php-fpm, CPU", "cpu_workers", "php|host", _computing),
    Stack("php-fpm, pg_sleep", "io_workers", "php-fpm", _waiting),
    Stack(
        "php-fpm, max_connections",
        "config_error",
        "",
        _crowded,
        (0.2, 0.3, 0.4),
        _constant_share,
    ),
    Stack("unix backlog", "backlog_overflow", "listen", _overflowing_unix, FAR, _refused_at_once),
    Stack("TCP backlog", "backlog_overflow", "listen", _overflowing_tcp, FAR, _given_up_later),
)
