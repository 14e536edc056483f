"""nginx with a configuration of our own: plain, TLS, IPv6 and a unix socket, one access log."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import trustme

from breakstep.lab.servers.process import child, free_port, wait_for_port
from breakstep.lab.servers.programs import program

BODY = (
    "nginx answers with a body of one hundred bytes, the size of a small JSON document. " + "x" * 17
)

_CONFIG = """\
{user}
worker_processes 1;
worker_rlimit_nofile 8192;
daemon off;
pid {home}/nginx.pid;
error_log {home}/error.log warn;
events {{ worker_connections 4096; }}
http {{
  log_format exact '$msec $status $request_length $body_bytes_sent $connection';
  access_log {home}/access.log exact;
  client_body_temp_path {home}/body;
  proxy_temp_path {home}/proxy;
  fastcgi_temp_path {home}/fastcgi;
  uwsgi_temp_path {home}/uwsgi;
  scgi_temp_path {home}/scgi;
  keepalive_requests 1000000000;
  keepalive_timeout 1h;
  default_type text/plain;
  server {{
    listen 127.0.0.1:{port} backlog=4096;
    {listen_ipv6}
    listen unix:{home}/nginx.sock;
    listen 127.0.0.1:{tls_port} ssl;
    ssl_certificate {home}/server.pem;
    ssl_certificate_key {home}/server.pem;
    location = /missing {{ return 404; }}
    location / {{ return 200 '{body}'; }}
  }}
}}
"""


@dataclass(frozen=True, slots=True)
class LogLine:
    """One request as nginx saw it."""

    at_s: float
    status: int
    request_length: int
    body_bytes: int
    connection: int


@dataclass(frozen=True, slots=True)
class Nginx:
    """A running nginx. `address_ipv6` is None where the host has no IPv6 loopback."""

    address: str
    address_ipv6: str | None
    address_tls: str
    address_unix: str
    ca_pem: bytes
    log: Path

    def requests(self) -> list[LogLine]:
        """Its access log so far; a request is there once its response is written."""
        return [_log_line(line) for line in self.log.read_text().splitlines()]


@contextmanager
def nginx(home: Path) -> Iterator[Nginx]:
    """Starts nginx with its files in `home`, a short path: it holds the unix socket."""
    authority = trustme.CA()
    certificate = authority.issue_cert("localhost", "127.0.0.1")
    certificate.private_key_and_cert_chain_pem.write_to_path(str(home / "server.pem"))
    server = _describe(home, authority.cert_pem.bytes())
    config = home / "nginx.conf"
    config.write_text(_config(home, server))
    log = home / "output.log"
    with child([program("nginx"), "-p", str(home), "-c", str(config)], log) as process:
        wait_for_port(_port(server.address), process, log)
        yield server


def _describe(home: Path, ca_pem: bytes) -> Nginx:
    return Nginx(
        address=f"127.0.0.1:{free_port()}",
        address_ipv6=_ipv6_address(),
        address_tls=f"127.0.0.1:{free_port()}",
        address_unix=f"unix:{home}/nginx.sock",
        ca_pem=ca_pem,
        log=home / "access.log",
    )


def _config(home: Path, server: Nginx) -> str:
    return _CONFIG.format(
        home=home,
        # Started by root, the worker would otherwise be a user who cannot enter `home`.
        user="user root root;" if os.geteuid() == 0 else "",
        port=_port(server.address),
        tls_port=_port(server.address_tls),
        listen_ipv6=f"listen {server.address_ipv6} backlog=4096;" if server.address_ipv6 else "",
        body=BODY,
    )


def _ipv6_address() -> str | None:
    try:
        return f"[::1]:{free_port('::1')}"
    except OSError:
        return None


def _port(address: str) -> int:
    return int(address.rsplit(":", 1)[1])


def _log_line(line: str) -> LogLine:
    at_s, *counts = line.split()
    return LogLine(float(at_s), *map(int, counts))
