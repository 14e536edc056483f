"""The servers that the generators are pointed at, each pinned to the server's core."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.host import HERE, Cores, HostError, compiled, find, pinned
from breakstep.probe.node import PRELOAD

Server = Callable[[Cores], AbstractContextManager[int]]

_START_S = 5.0
_STOP_S = 5.0
_NGINX_CONFIG = """\
{user}
worker_processes 1;
worker_rlimit_nofile 16384;
daemon off;
pid {home}/nginx.pid;
error_log {home}/error.log warn;
events {{ worker_connections 12000; }}
http {{
  access_log off;
  client_body_temp_path {home}/body;
  proxy_temp_path {home}/proxy;
  fastcgi_temp_path {home}/fastcgi;
  uwsgi_temp_path {home}/uwsgi;
  scgi_temp_path {home}/scgi;
  keepalive_requests 1000000000;
  keepalive_timeout 1h;
  default_type text/plain;
  server {{
    listen unix:{home}/ready.sock;
    listen 127.0.0.1:{port} backlog=4096;
    location / {{ return 200 '{body}'; }}
  }}
}}
"""


@contextmanager
def c_server(cores: Cores) -> Iterator[int]:
    """The port of the C server."""
    command = pinned(cores.server, [compiled("epoll_server")])
    with _child(command, stdout=subprocess.PIPE) as process:
        yield int(_first_line(process))


@contextmanager
def nginx(cores: Cores) -> Iterator[int]:
    """The port of an nginx with one worker that answers 100 bytes from memory."""
    with TemporaryDirectory(prefix="breakstep-bench-") as name:
        home = Path(name)
        port = _free_port()
        config = home / "nginx.conf"
        user = "user root root;" if os.geteuid() == 0 else ""
        config.write_text(_NGINX_CONFIG.format(home=home, user=user, port=port, body="x" * 100))
        command = [find("nginx"), "-p", name, "-e", f"{name}/error.log", "-c", str(config)]
        with _child(pinned(cores.server, command)) as process:
            _wait_for(home / "ready.sock", process)
            yield port


@contextmanager
def model_server(cores: Cores, arrival_log: Path) -> Iterator[int]:
    """The port of `breakstep target`, answering at once and logging every arrival."""
    breakstep = Path(sys.executable).with_name("breakstep")
    options = ["--servers", "64", "--service", "0", "--arrival-log", str(arrival_log)]
    command = [str(breakstep), "target", "--listen", "127.0.0.1:0", *options]
    with _child(pinned(cores.server, command), stdout=subprocess.PIPE) as process:
        yield int(_first_line(process).rsplit(":", 1)[1])


@dataclass(frozen=True, slots=True)
class Node:
    """A running Node server; nothing answers at `probe_port` without the preload."""

    pid: int
    port: int
    probe_port: int


@contextmanager
def node(cores: Cores, *, with_preload: bool) -> Iterator[Node]:
    """A Node server that answers 100 bytes from memory."""
    probe_port = _free_port()
    require = ["--require", str(PRELOAD)] if with_preload else []
    command = [find("node"), *require, str(HERE / "node_server.js")]
    settings = [find("env"), f"BREAKSTEP_NODE_PORT={probe_port}"]
    with _child(pinned(cores.server, settings + command), stdout=subprocess.PIPE) as process:
        yield Node(process.pid, int(_first_line(process)), probe_port)


@contextmanager
def _child(command: list[str], *, stdout: int | None = None) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(command, stdout=stdout, text=True) as process:
        try:
            yield process
        finally:
            _stop(process)


def _stop(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()


def _first_line(process: subprocess.Popen[str]) -> str:
    line = process.stdout.readline() if process.stdout else ""
    if not line:
        raise HostError(f"{process.args!r} ended before it listened")
    return line.strip()


def _wait_for(socket_path: Path, process: subprocess.Popen[str]) -> None:
    give_up = time.monotonic() + _START_S
    while not socket_path.exists():
        if process.poll() is not None or time.monotonic() > give_up:
            raise HostError(f"{process.args!r} did not start")
        time.sleep(0.01)
    # The socket exists a moment before the worker that accepts on it.
    time.sleep(0.1)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
