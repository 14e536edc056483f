"""A redis-server of our own: nothing is saved, its files in a directory that is thrown away."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from breakstep.lab.servers.process import child, free_port, wait_for_port
from breakstep.lab.servers.programs import program


@dataclass(frozen=True, slots=True)
class Redis:
    """A running Redis."""

    address: str
    socket: Path
    pid: int


@contextmanager
def redis(home: Path, *settings: str, prefix: Sequence[str] = ()) -> Iterator[Redis]:
    """Starts Redis with its files in `home`, a short path: it holds the unix socket.

    Each setting is a line of redis.conf: `maxclients 10`. `prefix` goes before the command:
    `taskset -c 1`.
    """
    port, log, path = free_port(), home / "redis.log", home / "redis.sock"
    lines = [
        f"port {port}",
        "bind 127.0.0.1",
        f"unixsocket {path}",
        f"dir {home}",
        'save ""',
        *settings,
    ]
    config = home / "redis.conf"
    config.write_text("\n".join(lines) + "\n")
    with child([*prefix, program("redis-server"), str(config)], log) as process:
        wait_for_port(port, process, log)
        yield Redis(f"127.0.0.1:{port}", path, process.pid)
