"""A PostgreSQL of our own: a fresh cluster to throw away, on a free port and a unix socket."""

import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from breakstep.lab.servers.process import child, free_port, wait_for_port, words
from breakstep.lab.servers.programs import postgres_program
from breakstep.lab.servers.unprivileged import Unprivileged, unprivileged
from breakstep.model.errors import LabError

try:
    import psycopg
except ImportError as missing:
    # This file is loaded when the first lab with a database is started.
    raise LabError(
        "psycopg is not installed, or finds no libpq: pip install 'breakstep[postgres]'"
    ) from missing

_SETTINGS: Mapping[str, str] = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "listen_addresses": "127.0.0.1",
    "shared_buffers": "64MB",
}
_START_S = 10.0
_TRUSTING = "local all all trust\nhost all all 127.0.0.1/32 trust\n"


@dataclass(frozen=True, slots=True)
class Postgres:
    """A running PostgreSQL. `pid` is the postmaster's."""

    port: int
    socket_dir: Path
    pid: int
    log: Path

    def dsn(self, user: str = "postgres", password: str = "", *, unix: bool = False) -> str:
        """How to connect to its database `postgres`."""
        login = f"{user}:{password}" if password else user
        host = f"/postgres?host={self.socket_dir}&port={self.port}" if unix else ""
        return f"postgresql://{login}@{host or f'127.0.0.1:{self.port}/postgres'}"

    def run(self, *statements: str) -> None:
        """Runs statements as the superuser, each on its own."""
        with psycopg.connect(self.dsn(unix=True), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())


@contextmanager
def postgres(
    settings: Mapping[str, str] | None = None,
    *,
    hba: str = _TRUSTING,
    prefix: Sequence[str] = (),
    within: Path | None = None,
) -> Iterator[Postgres]:
    """Starts PostgreSQL with these settings (`max_connections`), as a user who is not root.

    `hba` says who may connect and how; the unix socket should trust `postgres`. `prefix` goes
    before the command: `taskset -c 1`. The cluster's directory is made in `within`.
    """
    with unprivileged(within) as place:
        data, log = place.home / "data", place.home / "postgres.log"
        _initdb(place, data)
        (data / "pg_hba.conf").write_text(hba)
        port = free_port()
        command = [*prefix, *place.prefix, postgres_program("postgres"), "-D", str(data)]
        options = {
            **_SETTINGS,
            "port": str(port),
            "unix_socket_directories": str(place.home),
            **(settings or {}),
        }
        command += [f"--{name}={value}" for name, value in options.items()]
        # The gentler SIGTERM would wait for every client to leave.
        with child(command, log, farewell=signal.SIGINT) as process:
            wait_for_port(port, process, log)
            server = Postgres(port, place.home, process.pid, log)
            _wait_until_ready(server)
            yield server


def _wait_until_ready(server: Postgres) -> None:
    """It listens a moment before it lets anyone in."""
    give_up = time.monotonic() + _START_S
    while True:
        try:
            return server.run("SELECT 1")
        except psycopg.OperationalError as error:
            if time.monotonic() > give_up:
                raise LabError(f"PostgreSQL is not ready: {words(server.log)}") from error
            time.sleep(0.02)


def _initdb(place: Unprivileged, data: Path) -> None:
    command = [*place.prefix, postgres_program("initdb"), "--pgdata", str(data)]
    command += [
        "--username=postgres",
        "--auth=trust",
        "--no-sync",
        "--no-locale",
        "--encoding=UTF8",
    ]
    made = subprocess.run(  # noqa: S603  our own command line
        command, capture_output=True, text=True, check=False, cwd="/"
    )
    if made.returncode != 0:
        raise LabError(f"initdb failed: {made.stdout}{made.stderr}")
