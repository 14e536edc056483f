"""`--probe auto` finds what is behind a target on this machine."""

import os
import socket
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from breakstep.lab.servers.node_app import node_app
from breakstep.lab.servers.php_fpm import Pool, php_fpm
from breakstep.lab.servers.postgres import postgres
from breakstep.lab.servers.process import child, free_port
from breakstep.model.errors import ProbeError
from breakstep.model.units import NS_PER_S
from breakstep.probe.auto import Detected, detect
from breakstep.probe.local_listeners import listeners_at
from breakstep.probe.registry import open_probe
from probes.watching import eventually
from servers.blocking import blocking
from servers.front import front
from servers.haproxy import Balancer, haproxy
from servers.namespace import namespace
from servers.redis import redis
from servers.scripts import JS


@pytest.fixture
def home() -> Iterator[Path]:
    """A directory with a short path: it holds unix sockets."""
    with TemporaryDirectory() as directory:
        Path(directory).chmod(0o755)
        yield Path(directory)


def getting(port: int, path: str) -> Callable[[], object]:
    """Asks for a page."""

    def get() -> object:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as response:
            return response.read()

    return get


def detected_behind(port: int, path: str, wanted: set[str]) -> Detected:
    """What is found by asking; looks again where a busy machine hid a connection that was short."""
    poke = getting(port, path)
    poke()
    found = detect("127.0.0.1", port, poke=poke)
    for _ in range(2):
        if labels(found) >= wanted:
            break
        found = detect("127.0.0.1", port, poke=poke)
    return found


def labels(detected: Detected) -> set[str]:
    """Of all probes but those that depend on the machine's control groups."""
    return {spec.label for spec in detected.specs if spec.kind != "cgroup"}


def check_all_open(detected: Detected) -> None:
    """Every probe that was found can be read."""
    for spec in detected.specs:
        probe = open_probe(spec)
        assert probe.read()
        probe.close()


def test_php_behind_nginx_is_found_though_its_connections_are_short(home: Path) -> None:
    """nginx, the pool behind its unix socket, and PostgreSQL, which PHP calls anew every time."""
    with ExitStack() as stack:
        database = stack.enter_context(postgres())
        dsn = f"pgsql:host=127.0.0.1;port={database.port};dbname=postgres"
        pool = Pool(unix=True, environment={"PG_DSN": dsn, "PG_USER": "postgres"})
        php = stack.enter_context(php_fpm(home, pool))
        nginx = stack.enter_context(front(home, php.listen, fastcgi=True))
        path = php.listen.removeprefix("unix:")
        wanted = {
            "host",
            f"listen:{nginx.port}",
            f"listen:{path}",
            f"listen:{database.port}",
            "process:nginx",
            "process:php-fpm",
            "process:postgres",
            f"php-fpm:{path}",
            f"postgres:{database.port}",
        }
        found = detected_behind(nginx.port, "/pg_sleep.php?ms=1", wanted)
        check_all_open(found)
    assert labels(found) == wanted


def test_php_behind_a_port_is_found_as_well(home: Path) -> None:
    """Though the least of scripts takes less time than looking once."""
    with php_fpm(home) as php, front(home, php.listen, fastcgi=True) as nginx:
        port = php.listen.rpartition(":")[2]
        wanted = {"process:nginx", "process:php-fpm", f"php-fpm:{port}"}
        found = detected_behind(nginx.port, "/ping.php", wanted)
    assert labels(found) >= wanted


def test_node_behind_nginx_leads_on_to_its_database_and_its_cache(home: Path) -> None:
    """Over connections that are kept; the preload, PostgreSQL and Redis are asked themselves."""
    with ExitStack() as stack:
        database, cache = stack.enter_context(postgres()), stack.enter_context(redis(home))
        port = cache.address.rpartition(":")[2]
        environment = {"PG_DSN": database.dsn(), "REDIS_PORT": port}
        app = stack.enter_context(node_app(home, JS / "database.js", environment=environment))
        nginx = stack.enter_context(front(home, app.address, keep=True))
        getting(nginx.port, "/")()
        # The preload answers from a thread that takes its time to begin.
        assert eventually(lambda: bool(listeners_at(app.probe.rpartition(":")[2])))
        app_port = app.address.rpartition(":")[2]
        found = detect("localhost", nginx.port)
        check_all_open(found)
    assert labels(found) == {
        "host",
        f"listen:{nginx.port}",
        f"listen:{app_port}",
        f"listen:{database.port}",
        f"listen:{port}",
        "process:nginx",
        "process:node",
        "process:postgres",
        "process:redis-server",
        f"node:{app_port}",
        f"postgres:{database.port}",
        f"redis:{port}",
    }
    every_s = {spec.label: spec.every_ns / NS_PER_S for spec in found.specs}
    assert (every_s[f"listen:{nginx.port}"], every_s[f"listen:{app_port}"]) == (0.5, 1.0)


NOISE = """
import socket, sys, threading, time
server = socket.create_server(("127.0.0.1", 0))
def accept():
    while True:
        server.accept()[0].close()
threading.Thread(target=accept, daemon=True).start()
print(server.getsockname()[1], flush=True)
while True:
    socket.create_connection(server.getsockname()).close()
    time.sleep(float(sys.argv[1]))
"""
"""A service that somebody else calls again and again."""


@pytest.mark.parametrize("pause_s", [0.0005, 0.01])
def test_what_others_keep_busy_is_not_taken_for_part_of_the_target(
    home: Path, pause_s: float
) -> None:
    """However often a new connection comes to it, in our requests and between them."""
    log = home / "noise.log"
    with ExitStack() as stack:
        stack.enter_context(child([sys.executable, "-c", NOISE, str(pause_s)], log))
        assert eventually(lambda: log.read_text().endswith("\n"))
        php = stack.enter_context(php_fpm(home))
        nginx = stack.enter_context(front(home, php.listen, fastcgi=True))
        found = detected_behind(nginx.port, "/ping.php", {"process:php-fpm"})
    assert "process:php-fpm" in labels(found)
    assert f"listen:{log.read_text().strip()}" not in labels(found)


def test_what_cannot_be_asked_is_named_with_how_to_turn_it_on(home: Path) -> None:
    """Node without the preload, Redis with a password."""
    with ExitStack() as stack:
        database, cache = (
            stack.enter_context(postgres()),
            stack.enter_context(redis(home, "requirepass secret")),
        )
        environment = {
            "PG_DSN": database.dsn(),
            "REDIS_PORT": cache.address.rpartition(":")[2],
        }
        app = stack.enter_context(
            node_app(home, JS / "database.js", preload=False, environment=environment)
        )
        found = detect("127.0.0.1", int(app.address.rpartition(":")[2]))
    says = "\n".join(found.says)
    assert f"found node (process {app.pid})" in says
    assert "breakstep probe node-preload" in says
    assert "REDISCLI_AUTH" in says
    assert "secret" not in says
    assert not {"node", "redis"} & {spec.kind for spec in found.specs}


def test_a_unix_target_is_found_by_its_path(home: Path) -> None:
    """Over a link too."""
    with blocking(home, f"{home}/app.sock") as server:
        Path(home, "link").symlink_to("app.sock")
        found = detect("localhost", 80, f"{home}/link")
        check_all_open(found)
    assert labels(found) == {"host", f"listen:{home}/app.sock", "process:node"}
    assert f"found node (process {server.pid}) at {home}/app.sock" in found.says


def test_haproxy_is_asked_over_its_socket(home: Path) -> None:
    """Its stats socket is among those that it listens on."""
    with blocking(home) as app:
        balancer = Balancer(servers=[f"127.0.0.1:{app.where}"])
        with haproxy(home, balancer) as front_:
            port = int(front_.address.rpartition(":")[2])
            wanted = {"process:haproxy", "process:node", f"listen:{app.where}", f"haproxy:{port}"}
            found = detected_behind(port, "/", wanted)
            check_all_open(found)
    assert labels(found) >= wanted


def test_a_target_of_another_machine_is_for_an_agent() -> None:
    """An address that is none of ours, and a port where only another namespace listens."""
    with pytest.raises(ProbeError, match=r"needs a target on this machine.*breakstep agent"):
        detect("192.0.2.1", 80)
    with pytest.raises(ProbeError, match=r"nobody listens on port.*breakstep agent"):
        detect("127.0.0.1", free_port())


CALLER = """
import socket, sys, time
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
while True:
    try:
        kept = socket.create_connection((sys.argv[2], int(sys.argv[3])), 1)
        break
    except OSError:
        time.sleep(0.02)
print("connected", flush=True)
time.sleep(60)
"""
"""Listens on a port, and is connected to a place."""


def test_a_service_that_is_called_on_another_machine_is_named(home: Path) -> None:
    """With what to do there; as a target it is for an agent."""
    port, far_port = free_port(), free_port()
    log = home / "caller.log"
    with namespace() as far, ExitStack() as stack:
        place = far.address_there, str(far_port)
        serving = [sys.executable, "-m", "http.server", "--bind", *place]
        stack.enter_context(child([*far.inside, *serving], home / "far.log"))
        stack.enter_context(child([sys.executable, "-c", CALLER, str(port), *place], log))
        assert eventually(lambda: log.read_text() == "connected\n")
        found = detect("127.0.0.1", port)
        with pytest.raises(ProbeError, match=r"needs a target on this machine"):
            detect(far.address_there, far_port)
    says = f"calls {place[0]}:{place[1]}, which is on another machine"
    assert any(says in line for line in found.says)


def test_we_are_not_taken_for_the_target() -> None:
    """A target inside of our own process has queues, and no process to look at."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        found = detect("127.0.0.1", port)
    assert labels(found) == {"host", f"listen:{port}"}
    assert any(str(port) in says for says in found.says)
    assert not any(str(os.getpid()) in says for says in found.says)


def test_a_group_with_a_limit_comes_along(home: Path) -> None:
    """Where the target's processes have one, its quota is watched; else no group is."""
    with blocking(home) as app:
        found = detect("127.0.0.1", int(app.where))
        limits = [spec for spec in found.specs if spec.kind == "cgroup"]
        for spec in limits:
            assert "quota" in {reading.name for reading in open_probe(spec).read()}
        assert len(limits) <= 1
