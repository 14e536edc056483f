"""The probe of php-fpm against real pools, over FastCGI and with no web server in between."""

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakstep.lab.servers.nginx_front import Front, nginx_front
from breakstep.lab.servers.php_fpm import Pool, php_fpm
from breakstep.lab.servers.postgres import postgres
from breakstep.lab.servers.process import child, free_port, wait_for_port
from breakstep.model.errors import ProbeError
from breakstep.plan.probes import parse_probe
from breakstep.probe.fastcgi import Answer, encode_get
from breakstep.probe.php_fpm import PhpFpm, open_probe
from breakstep.probe.php_fpm_status import Status, parse_status
from breakstep.probe.stream import Address, connect
from servers.hostile import BEHAVIOURS, hostile
from servers.scripts import PHP, php_behind

PAGE = {
    "pool": "www",
    "process manager": "dynamic",
    "accepted conn": 40,
    "listen queue": 2,
    "listen queue len": 511,
    "idle processes": 1,
    "active processes": 4,
    "total processes": 5,
    "max children reached": 3,
    "slow requests": 6,
}


def read(probe: PhpFpm) -> dict[str, float]:
    """The readings by name."""
    return {reading.name: reading.value for reading in probe.read()}


def settled(probe: PhpFpm, name: str, value: float) -> dict[str, float]:
    """The readings once one of them has a value, or as they are after two seconds."""
    give_up = time.monotonic() + 2.0
    while (found := read(probe))[name] != value and time.monotonic() < give_up:
        time.sleep(0.02)
    return found


def failure(spec: str) -> str:
    """What opening a probe says when it fails."""
    with pytest.raises(ProbeError) as caught:
        open_probe(parse_probe(spec))
    return str(caught.value)


@contextmanager
def requests(listen: str, script: str, query: str, count: int) -> Iterator[None]:
    """That many requests under way in a pool."""
    request = encode_get(str(PHP / script), query)
    with ExitStack() as sockets:
        for _ in range(count):
            sockets.enter_context(connect(_address(listen), 2.0)).sendall(request)
        yield


def ask(listen: str, script: str, query: str = "") -> tuple[int, bytes]:
    """The status and body that a script of a pool answers."""
    answer = Answer(100_000)
    with connect(_address(listen), 5.0) as stream:
        stream.sendall(encode_get(str(PHP / script), query))
        while not answer.ended:
            answer.feed(stream.recv(65_536))
    return answer.page().status, answer.page().body


def _address(listen: str) -> Address:
    if listen.startswith("unix:"):
        return listen.removeprefix("unix:")
    host, _, port = listen.rpartition(":")
    return host, int(port)


def test_answers_while_every_worker_is_busy(tmp_path: Path) -> None:
    """With pm.status_listen the pool is seen full and its queue long, not waited for."""
    with php_fpm(tmp_path, Pool(workers=3)) as server:
        probe = open_probe(parse_probe(server.probe))
        idle = settled(probe, "idle", 3)
        assert (idle["active"], idle["workers"], idle["queue"]) == (0, 3, 0)
        assert idle["queue_limit"] == 511
        with requests(server.listen, "wait.php", "ms=60000", 8):
            busy = settled(probe, "queue", 5)
            began_s = time.monotonic()
            read(probe)
            assert time.monotonic() - began_s < 1.0
        assert (busy["active"], busy["idle"], busy["queue"]) == (3, 0, 5)
        assert busy["accepted"] - idle["accepted"] == 3
        assert busy["max_children_reached"] == 0
        assert probe.remark is not None
        assert "pm = static" in probe.remark
        assert "unix" not in probe.remark


def test_the_workers_own_answer_is_taken_off(tmp_path: Path) -> None:
    """Where the pool answers for itself, the asking worker and the asking are not counted."""
    with php_fpm(tmp_path, Pool(workers=2, pm="dynamic", status_listen=False)) as server:
        probe = open_probe(parse_probe(server.probe))
        first, second = read(probe), settled(probe, "active", 0)
        assert (second["active"], second["idle"]) == (0, second["workers"])
        assert first["accepted"] == second["accepted"]
        ask(server.listen, "ping.php")
        assert read(probe)["accepted"] == second["accepted"] + 1
        assert probe.remark is not None
        assert "own workers" in probe.remark
        assert "static" not in probe.remark


def test_a_pool_that_answers_for_itself_falls_silent_when_busy(tmp_path: Path) -> None:
    """Then the read ends at its timeout and names the way out."""
    with php_fpm(tmp_path, Pool(workers=1, status_listen=False)) as server:
        probe = open_probe(parse_probe(f"{server.probe},timeout=300ms"))
        with (
            requests(server.listen, "wait.php", "ms=2000", 1),
            pytest.raises(ProbeError, match=r"within 0.3 s.*pm\.status_listen"),
        ):
            settled(probe, "active", 1)


def test_says_that_a_unix_socket_hides_its_queue(tmp_path: Path) -> None:
    """Three requests wait, the status says none: the remark warns of it."""
    with php_fpm(tmp_path, Pool(workers=1, unix=True)) as server:
        probe = open_probe(parse_probe(server.probe))
        with requests(server.listen, "wait.php", "ms=60000", 4):
            busy = settled(probe, "active", 1)
        assert (busy["active"], busy["queue"], busy["queue_limit"]) == (1, 0, 0)
        assert probe.remark is not None
        assert "unix socket" in probe.remark
        assert "--probe listen:" in probe.remark


def test_reads_over_a_unix_socket(tmp_path: Path) -> None:
    """The status is found through the socket of the pool itself, with and without its path."""
    with php_fpm(tmp_path, Pool(unix=True, status_listen=False)) as server:
        socket = server.listen.removeprefix("unix:")
        for where in (f"{socket}|/status", socket):
            probe = open_probe(parse_probe(f"php-fpm:fcgi+unix:{where}"))
            assert settled(probe, "workers", 2)["workers"] == 2
        assert "set pm.status_path = /other" in failure(f"php-fpm:fcgi+unix:{socket}|/other")


def test_reads_over_http(tmp_path: Path) -> None:
    """Through a web server it is the same page, answered by a worker that is not counted."""
    with (
        php_fpm(tmp_path, Pool(status_listen=False)) as server,
        nginx_front(tmp_path, Front(fastcgi=php_behind(server.listen))) as front,
    ):
        probe = open_probe(parse_probe(f"php-fpm:http://{front.address}/status"))
        # The worker that answered before may still be about to finish.
        found = settled(probe, "idle", 2)
        assert (found["active"], found["idle"], found["workers"]) == (0, 2, 2)
        assert "answered 404" in failure(f"php-fpm:http://{front.address}/missing")
        says = failure(f"php-fpm:http://{front.address}/ping.php")
        assert "is not the status page of php-fpm" in says
        assert "pm.status_path" in says


def test_workers_that_wait_for_a_database_are_busy(tmp_path: Path) -> None:
    """Each worker in `pg_sleep` is active; one more request than workers waits."""
    with postgres() as database:
        dsn = f"pgsql:host=127.0.0.1;port={database.port};dbname=postgres"
        environment = {"PG_DSN": dsn, "PG_USER": "postgres", "PG_PERSISTENT": "1"}
        with php_fpm(tmp_path, Pool(workers=2, environment=environment)) as server:
            assert ask(server.listen, "pg_sleep.php", "ms=10") == (200, b"slept\n")
            probe = open_probe(parse_probe(server.probe))
            with requests(server.listen, "pg_sleep.php", "ms=2000", 3):
                busy = settled(probe, "queue", 1)
            assert (busy["active"], busy["queue"]) == (2, 1)


def test_a_restarted_pool_is_read_again(tmp_path: Path) -> None:
    """A read fails while php-fpm is gone and works once it is back."""
    with php_fpm(tmp_path) as server:
        probe = open_probe(parse_probe(server.probe))
        server.process.terminate()
        server.process.wait()
        with pytest.raises(ProbeError, match=r"nothing answers at fcgi://.*is php-fpm running"):
            probe.read()
        with child(server.command, tmp_path / "again.log") as process:
            wait_for_port(int(server.listen.rpartition(":")[2]), process, tmp_path / "again.log")
            assert settled(probe, "workers", 2)["workers"] == 2


def test_the_scripts_do_what_they_say(tmp_path: Path) -> None:
    """Ping answers, CPU by rounds and by time takes CPU, a refused database is a 500."""
    environment = {"PG_DSN": f"pgsql:host=127.0.0.1;port={free_port()}", "PG_USER": "nobody"}
    with php_fpm(tmp_path, Pool(environment=environment)) as server:
        assert ask(server.listen, "ping.php") == (200, b"pong\n")
        assert ask(server.listen, "cpu.php", "rounds=10")[0] == 200
        began_s = time.monotonic()
        assert ask(server.listen, "cpu.php", "ms=100")[0] == 200
        assert time.monotonic() - began_s >= 0.1
        status, body = ask(server.listen, "pg_sleep.php")
        assert status == 500
        assert b"refused" in body


@pytest.mark.parametrize(
    ("where", "reason"),
    [
        ("fcgi://127.0.0.1:{port}/status", "nothing answers at fcgi://127.0.0.1"),
        ("fcgi+unix:/nowhere/php.sock|/status", "nothing answers at fcgi+unix:/nowhere"),
        ("http://127.0.0.1:{port}/status", "nothing listens"),
        ("127.0.0.1:9000", "write fcgi://HOST:PORT/status"),
        ("fcgi://[::1/status", "write fcgi://HOST:PORT/status"),
        ("fcgi://127.0.0.1/status,timeout=never", "timeout=never"),
    ],
)
def test_says_what_is_wrong_with_a_place(where: str, reason: str) -> None:
    """Each fault has its reason and its remedy."""
    assert reason in failure(f"php-fpm:{where.format(port=free_port())}")


@pytest.mark.parametrize("name", ["never_answers", "ssh_banner", "closes_without_answer"])
def test_another_server_is_told_from_php_fpm(name: str) -> None:
    """What speaks no FastCGI is named as such, within the timeout."""
    with hostile(name) as address:
        says = failure(f"php-fpm:fcgi://{address}/status,timeout=200ms")
    assert any(words in says for words in ("did not answer", "not FastCGI", "without an answer"))


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_survives_every_hostile_server(name: str) -> None:
    """Whatever speaks at the address, opening ends in a ProbeError."""
    with hostile(name) as address:
        assert failure(f"php-fpm:fcgi://{address}/status,timeout=100ms")


def test_a_page_becomes_a_status() -> None:
    """Every count is where it belongs."""
    status = parse_status(json.dumps(PAGE).encode())
    assert status == Status("dynamic", 4, 1, 5, 2, 511, 40, 6, 3)
    assert status.without_own(7) == Status("dynamic", 3, 2, 5, 2, 511, 33, 6, 3)


BAD: Sequence[object] = ([], "text", None, 1, {}, {**PAGE, "listen queue": -1})


@pytest.mark.parametrize(
    "page", [*BAD, {**PAGE, "accepted conn": True}, {**PAGE, "accepted conn": 1.5}]
)
def test_another_document_is_no_status(page: object) -> None:
    """Other shapes and counts that are none raise ValueError."""
    with pytest.raises(ValueError, match=r"no count named|not a JSON object"):
        parse_status(json.dumps(page).encode())


@given(
    body=st.one_of(
        st.binary(max_size=200),
        st.dictionaries(st.sampled_from(sorted(PAGE)), st.one_of(st.integers(), st.text())).map(
            lambda changed: json.dumps({**PAGE, **changed}).encode()
        ),
        st.just(b"[" * 100_000),
        st.just(b'{"accepted conn":' + b"9" * 10_000 + b"}"),
    )
)
def test_any_page_is_a_status_or_a_value_error(body: bytes) -> None:
    """Nothing a server sends raises anything else."""
    with suppress(ValueError):
        assert parse_status(body).active >= 0
