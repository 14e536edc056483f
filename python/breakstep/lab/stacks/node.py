"""Express and pg in Node, in front of PostgreSQL; alone, as a cluster, or behind TLS."""

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from breakstep.lab.node_modules import node_modules
from breakstep.lab.place import Place
from breakstep.lab.servers.node_app import NodeApp, node_app
from breakstep.lab.servers.postgres import Postgres, postgres
from breakstep.lab.servers.programs import postgres_program, program
from breakstep.lab.servers.versions import version
from breakstep.lab.stack import Stack
from breakstep.model.errors import LabError

APP = Path(__file__).parent.parent / "apps" / "node" / "app.js"
POOL = 10
"""Connections of each process."""
_USER, _PASSWORD = "app", "lab"
_LOGINS = """\
local all postgres trust
host all postgres 127.0.0.1/32 trust
host all all 127.0.0.1/32 scram-sha-256
"""
# The orders of a customer lie on a thousand pages: an index finds them, and each is fetched.
_ORDERS = """\
create unlogged table orders as
select id, id % 1000 as customer, (id % 977)::numeric / 100 as amount,
  timestamp '2026-01-01' + id * interval '31 seconds' as placed
from generate_series(1, 1000000) as id
"""
_TABLE = (
    f"create role {_USER} login password '{_PASSWORD}'",
    _ORDERS,
    "create index on orders (customer)",
    f"grant select on orders to {_USER}",
    "vacuum analyze orders",
)
_SETTINGS = {"shared_buffers": "256MB", "max_wal_size": "2GB"}
_EVERY = "every=500ms"


@dataclass(frozen=True, slots=True)
class Shop:
    """What differs from one experiment to another.

    `workers`: processes of a cluster, none of it by default; `database`: whether there is one;
    `pool`: connections of each process; `pool_wait_ms`: how long a request waits for one;
    `pool_idle_ms`: how long an unused one is kept; 0 is for ever. `wide`: the app may run on the
    generator's core as well.
    """

    workers: int = 0
    database: bool = True
    pool: int = POOL
    pool_wait_ms: int = 0
    pool_idle_ms: int = 0
    tls: bool = False
    wide: bool = False

    @contextmanager
    def __call__(self, place: Place) -> Iterator[Stack]:
        """Puts it up. Raises LabError."""
        with _database(self, place) as database, _app(self, place, database) as app:
            yield _stack(self, place, app, database)


@contextmanager
def _database(shop: Shop, place: Place) -> Iterator[Postgres | None]:
    if not shop.database:
        yield None
        return
    made = postgres(_SETTINGS, hba=_LOGINS, prefix=place.database, within=place.home)
    with made as database:
        database.run(*_TABLE)
        yield database


@contextmanager
def _app(shop: Shop, place: Place, database: Postgres | None) -> Iterator[NodeApp]:
    environment = {
        "NODE_PATH": str(node_modules()),
        "WORKERS": str(shop.workers),
        "PG_POOL": str(shop.pool),
        "PG_WAIT_MS": str(shop.pool_wait_ms),
        "PG_IDLE_MS": str(shop.pool_idle_ms),
    }
    if database is not None:
        environment["PG_DSN"] = database.dsn(_USER, _PASSWORD)
    if shop.tls:
        environment |= _certificate(place.home)
    prefix = () if shop.wide else place.app
    with node_app(place.home, APP, environment=environment, prefix=prefix) as app:
        yield app


def _stack(shop: Shop, place: Place, app: NodeApp, database: Postgres | None) -> Stack:
    port = app.address.rpartition(":")[2]
    probes = [
        f"node:{app.probe},name=node",
        f"process:{app.pid},name=app",
        f"listen:{port},name=queue",
        "host",
    ]
    processes, versions = {"app": app.pid}, {"Node": version([program("node"), "--version"])}
    if database is not None:
        probes.append(f"postgres:{database.dsn(unix=True)},name=db")
        processes["postgres"] = database.pid
        versions["PostgreSQL"] = version([postgres_program("postgres"), "--version"])
    return Stack(
        url=f"{'https' if shop.tls else 'http'}://{app.address}",
        probes=tuple(f"{probe},{_EVERY}" for probe in probes),
        processes=processes,
        versions=versions,
        facts={"pool": shop.pool, "app_cores": _cores(shop, place)},
    )


def _cores(shop: Shop, place: Place) -> int:
    """That the app may run on."""
    cores = place.cores
    if not cores.app:
        return 1
    return len({*cores.app, *cores.generator, *cores.database} if shop.wide else cores.app)


def _certificate(home: Path) -> Mapping[str, str]:
    """A key and a certificate that nobody else trusts, for TLS on loopback."""
    key, certificate = home / "key.pem", home / "certificate.pem"
    command = [program("openssl"), "req", "-x509", "-newkey", "ec", "-noenc", "-days", "1"]
    command += ["-pkeyopt", "ec_paramgen_curve:prime256v1", "-subj", "/CN=127.0.0.1"]
    command += ["-keyout", str(key), "-out", str(certificate)]
    made = subprocess.run(  # noqa: S603  our own command line
        command, capture_output=True, text=True, check=False
    )
    if made.returncode != 0:
        raise LabError(f"openssl made no certificate: {made.stderr.strip()}")
    return {"TLS_KEY": str(key), "TLS_CERT": str(certificate)}
