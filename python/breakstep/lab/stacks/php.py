"""Laravel on nginx, php-fpm and PostgreSQL. nginx and PHP, and a pooler, are the app's box."""

import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psycopg

from breakstep.lab.place import Place
from breakstep.lab.servers.nginx_front import Fastcgi, Front, NginxFront, nginx_front
from breakstep.lab.servers.pgbouncer import PgBouncer, pgbouncer
from breakstep.lab.servers.php_fpm import PhpFpm, Pool, php_fpm
from breakstep.lab.servers.postgres import Postgres, postgres
from breakstep.lab.servers.programs import php_fpm_program, postgres_program, program
from breakstep.lab.servers.versions import version
from breakstep.lab.stack import Stack
from breakstep.lab.stacks.laravel import FRAMEWORK_VERSION, SCRIPT, installed
from breakstep.model.errors import LabError

NEEDS = ("nginx", "php-fpm", "php-pgsql", "laravel", "postgres", "psycopg")
"""What must be installed; `pgbouncer` too for a pooler."""

_USER, _PASSWORD = "app", "lab"
_RESERVED = 3
"""Connections that PostgreSQL keeps for superusers: the probe is one."""
_LOGINS = """\
local all postgres trust
host all postgres 127.0.0.1/32 trust
host all all 127.0.0.1/32 scram-sha-256
"""
_TABLE = (
    f"create role {_USER} login password '{_PASSWORD}'",
    "create table items (id integer primary key, name text not null, price numeric not null)",
    "insert into items select i, 'item ' || i, i * 0.5 from generate_series(1, 10000) i",
    f"grant select on items to {_USER}",
    "vacuum analyze items",
)
_READ_TIMEOUT_MS = 5000
_FPM_LOG = '%R %t "%m %r" status=%s dt=%{microseconds}d'
_EVERY = "every=500ms"
_WARM_PATH, _WARM_EACH, _WARM_S = "/api/db", 2, 30.0


Pooler = Literal["password", "secret"]
"""What PgBouncer keeps of a password: itself, or the SCRAM secret that PostgreSQL has of it."""


@dataclass(frozen=True, slots=True)
class Site:
    """What differs from one experiment to another.

    `persistent`: a worker keeps its connection to the database; `connections`: how many the app may
    have; `pooler`: PgBouncer stands between, and what it knows of the app's password. `http`,
    `server` and `location` are put into nginx's configuration verbatim.
    """

    workers: int = 20
    persistent: bool = True
    connections: int = 200
    pooler: Pooler | None = None
    backlog: int = 511
    unix: bool = False
    http: str = ""
    server: str = ""
    location: str = ""

    @contextmanager
    def __call__(self, place: Place) -> Iterator[Stack]:
        """Puts it up. Raises LabError."""
        with (
            _database(self, place) as database,
            _pooler(self, place, database) as pooler,
            php_fpm(place.home, _pool(self, place, pooler or database)) as fpm,
            nginx_front(place.home, _front(self, place, fpm)) as nginx,
        ):
            _warm(f"http://{nginx.address}{_WARM_PATH}", _WARM_EACH * self.workers)
            yield _stack(self, place, Parts(database, pooler, fpm, nginx))


@dataclass(frozen=True, slots=True)
class Parts:
    """The servers of a stack."""

    database: Postgres
    pooler: PgBouncer | None
    fpm: PhpFpm
    nginx: NginxFront

    @property
    def probes(self) -> tuple[str, ...]:
        """By their labels: `php-fpm`, `php`, `nginx`, `listen`, `front`, `db` and `host`."""
        pooler = self.pooler
        probes = [
            *([] if pooler is None else [f"process:{pooler.pid},name=pgbouncer"]),
            f"{self.fpm.probe},name=php-fpm",
            f"process:{self.fpm.process.pid},name=php",
            f"process:{self.nginx.process.pid},name=nginx",
            f"listen:{self.fpm.listen.removeprefix('unix:').removeprefix('127.0.0.1:')},name=listen",
            f"{self.nginx.probe},name=front",
            f"postgres:{self.database.dsn()},name=db",
            "host",
        ]
        return tuple(f"{probe},{_EVERY}" for probe in probes)

    @property
    def processes(self) -> Mapping[str, int]:
        """The first process of each."""
        pooler = {} if self.pooler is None else {"pgbouncer": self.pooler.pid}
        return {
            "php-fpm": self.fpm.process.pid,
            "nginx": self.nginx.process.pid,
            "postgres": self.database.pid,
            **pooler,
        }


@contextmanager
def _database(site: Site, place: Place) -> Iterator[Postgres]:
    settings = {
        "max_connections": str(site.connections + _RESERVED),
        "superuser_reserved_connections": str(_RESERVED),
    }
    made = postgres(settings, hba=_LOGINS, prefix=place.database, within=place.home)
    with made as database:
        database.run(*_TABLE)
        yield database


@contextmanager
def _pooler(site: Site, place: Place, behind: Postgres) -> Iterator[PgBouncer | None]:
    if site.pooler is None:
        yield None
        return
    settings = {"pool_mode": "transaction", "default_pool_size": str(site.workers)}
    login = {_USER: _PASSWORD if site.pooler == "password" else _secret(behind)}
    made = pgbouncer(behind, settings, users=login, prefix=place.app, within=place.home)
    with made as pooler:
        yield pooler


def _secret(database: Postgres) -> str:
    query = "select rolpassword from pg_authid where rolname = %s"
    with psycopg.connect(database.dsn(unix=True)) as session:
        row = session.execute(query, (_USER,)).fetchone()
    if row is None:
        raise LabError(f"PostgreSQL does not know {_USER}, who was made just now")
    return str(row[0])


def _pool(site: Site, place: Place, database: Postgres | PgBouncer) -> Pool:
    settings = {
        "DB_PORT": str(database.port),
        "DB_USERNAME": _USER,
        "DB_PASSWORD": _PASSWORD,
        "DB_PERSISTENT": str(int(site.persistent)),
        "DB_EMULATE_PREPARES": str(int(site.pooler is not None)),
    }
    return Pool(
        workers=site.workers,
        backlog=site.backlog,
        unix=site.unix,
        environment=installed(place.home / "laravel", settings),
        prefix=place.app,
        settings={"access.log": str(_fpm_log(place)), "access.format": f"'{_FPM_LOG}'"},
    )


def _front(site: Site, place: Place, fpm: PhpFpm) -> Front:
    return Front(
        fastcgi=Fastcgi(fpm.listen, str(SCRIPT), location="/", more=site.location),
        read_timeout_ms=_READ_TIMEOUT_MS,
        connect_timeout_ms=_READ_TIMEOUT_MS,
        prefix=place.app,
        http_more=site.http,
        server_more=site.server,
    )


def _stack(site: Site, place: Place, parts: Parts) -> Stack:
    return Stack(
        url=f"http://{parts.nginx.address}",
        probes=parts.probes,
        processes=parts.processes,
        versions=_versions(site),
        facts={
            "workers": site.workers,
            "connections": site.connections,
            "app_cores": len(place.cores.app) or 1,
            "database_cores": len(place.cores.database) or 1,
            "nginx_log": str(parts.nginx.access_log),
            "fpm_log": str(_fpm_log(place)),
        },
    )


def _versions(site: Site) -> Mapping[str, str]:
    commands = {
        "Laravel": [program("php"), "-r", FRAMEWORK_VERSION],
        "PHP": [php_fpm_program(), "-v"],
        "nginx": [program("nginx"), "-v"],
        "PostgreSQL": [postgres_program("postgres"), "--version"],
    }
    if site.pooler is not None:
        commands["PgBouncer"] = [program("pgbouncer"), "--version"]
    return {name: version(command) for name, command in commands.items()}


def _fpm_log(place: Place) -> Path:
    return place.home / "php-fpm-access.log"


def _warm(url: str, requests: int) -> None:
    """Each worker in turn gets some: it loads its scripts and opens its connection.

    Some may fail, where there are fewer connections than workers.
    """
    for _ in range(requests):
        try:
            urllib.request.urlopen(url, timeout=_WARM_S).close()  # noqa: S310  a stack of ours
        except urllib.error.HTTPError as error:
            error.close()
