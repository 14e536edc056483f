"""HAProxy in front of HTTP servers, with a stats socket and a stats page."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from breakstep.lab.servers.process import child, free_port, wait_for_path, wait_for_port
from breakstep.lab.servers.programs import program

_CONFIG = """\
global
  stats socket {home}/stats.sock mode 600 level user
  stats socket ipv4@127.0.0.1:{stats_port} level user
defaults
  mode http
  timeout connect {balancer.connect_timeout_ms}ms
  timeout client 60s
  timeout server {balancer.server_timeout_ms}ms
  timeout queue {balancer.queue_timeout_ms}ms
  retries 0
frontend front
  bind 127.0.0.1:{port}
  maxconn {balancer.frontend_maxconn}
  default_backend app
backend app
  balance {balancer.balance}
{servers}
listen stats
  bind 127.0.0.1:{page_port}
  stats enable
  stats uri /stats
  stats auth watcher:{password}
"""
PASSWORD = "let-me-see"  # noqa: S105  of a server on loopback that lives for a test


@dataclass(frozen=True, slots=True)
class Balancer:
    """What HAProxy is set up to do. `maxconn` is that of each server, None for no limit.

    `prefix` goes before the command: `taskset -c 1`.
    """

    servers: Sequence[str]
    maxconn: int | None = None
    frontend_maxconn: int = 10_000
    balance: str = "roundrobin"
    check: bool = False
    connect_timeout_ms: int = 1000
    server_timeout_ms: int = 60_000
    queue_timeout_ms: int = 5000
    prefix: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Haproxy:
    """A running HAProxy. The servers are `one`, `two` … of the backend `app`."""

    address: str
    stats_socket: Path
    stats_address: str
    stats_url: str
    process: subprocess.Popen[bytes]
    log: Path


_NAMES = ("one", "two", "three", "four", "five", "six", "seven", "eight")


@contextmanager
def haproxy(home: Path, balancer: Balancer) -> Iterator[Haproxy]:
    """Starts HAProxy with its files in `home`, a short path: it holds the stats socket."""
    port, stats_port, page_port = free_port(), free_port(), free_port()
    config = home / "haproxy.cfg"
    config.write_text(
        _CONFIG.format(
            home=home,
            balancer=balancer,
            port=port,
            stats_port=stats_port,
            page_port=page_port,
            password=PASSWORD,
            servers="\n".join(_servers(balancer)),
        )
    )
    log, stats_socket = home / "haproxy.log", home / "stats.sock"
    stats_socket.unlink(missing_ok=True)  # of one that was here before
    command = [*balancer.prefix, program("haproxy"), "-db", "-f", str(config)]
    with child(command, log) as process:
        wait_for_port(port, process, log)
        wait_for_path(stats_socket, process, log)
        yield Haproxy(
            address=f"127.0.0.1:{port}",
            stats_socket=stats_socket,
            stats_address=f"127.0.0.1:{stats_port}",
            stats_url=f"http://watcher:{PASSWORD}@127.0.0.1:{page_port}/stats",
            process=process,
            log=log,
        )


def _servers(balancer: Balancer) -> Iterator[str]:
    limit = "" if balancer.maxconn is None else f" maxconn {balancer.maxconn}"
    check = " check inter 200ms" if balancer.check else ""
    for name, address in zip(_NAMES, balancer.servers, strict=False):
        yield f"  server {name} {address}{limit}{check}"
