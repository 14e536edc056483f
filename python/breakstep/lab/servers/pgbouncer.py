"""A PgBouncer of our own in front of a PostgreSQL."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from breakstep.lab.servers.postgres import Postgres
from breakstep.lab.servers.process import child, free_port, wait_for_port
from breakstep.lab.servers.programs import program
from breakstep.lab.servers.unprivileged import unprivileged


@dataclass(frozen=True, slots=True)
class PgBouncer:
    """A running PgBouncer."""

    port: int
    pid: int

    def dsn(self, database: str = "postgres", user: str = "postgres", password: str = "") -> str:
        """How to connect through it; to `pgbouncer`, its own console."""
        login = f"{user}:{password}" if password else user
        return f"postgresql://{login}@127.0.0.1:{self.port}/{database}"


@contextmanager
def pgbouncer(
    behind: Postgres,
    settings: Mapping[str, str] | None = None,
    *,
    users: Mapping[str, str] | None = None,
    prefix: Sequence[str] = (),
    within: Path | None = None,
) -> Iterator[PgBouncer]:
    """Starts PgBouncer with these settings (`default_pool_size`, `pool_mode`).

    Without `users`, who have passwords, anyone may connect as anyone. Its directory is
    made in `within`.
    """
    with unprivileged(within) as place:
        log, config = place.home / "output.log", place.home / "pgbouncer.ini"
        (place.home / "users.txt").write_text(
            "".join(f'"{name}" "{password}"\n' for name, password in (users or {}).items())
        )
        options = {
            "listen_addr": "127.0.0.1",
            "listen_port": str(free_port()),
            "unix_socket_dir": "",
            "auth_type": "scram-sha-256" if users else "any",
            "auth_file": str(place.home / "users.txt"),
            "stats_users": "watcher",
            **(settings or {}),
        }
        port = int(options["listen_port"])
        # With any user let in, none is told to PostgreSQL.
        user = "" if users else "user=postgres"
        config.write_text(
            f"[databases]\n* = host=127.0.0.1 port={behind.port} {user}\n[pgbouncer]\n"
            + "".join(f"{name} = {value}\n" for name, value in options.items())
        )
        with child([*prefix, *place.prefix, program("pgbouncer"), str(config)], log) as process:
            wait_for_port(port, process, log)
            yield PgBouncer(port, process.pid)
