"""The probe of nginx against a real one: its page, its access log, its error log."""

import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakstep.lab.servers.nginx_front import Front, NginxFront, nginx_front
from breakstep.lab.servers.php_fpm import Pool, php_fpm
from breakstep.lab.servers.process import free_port
from breakstep.model.errors import ProbeError
from breakstep.plan.probes import parse_probe
from breakstep.probe.http_get import get
from breakstep.probe.nginx import Nginx, Status, open_probe, parse_page
from breakstep.probe.reading import PartialError
from breakstep.probe.stream import connect
from servers.hostile import BEHAVIOURS, full_backlog, hostile
from servers.scripts import php_behind

PAGE = (
    b"Active connections: 5 \nserver accepts handled requests\n 70 68 90 \n"
    b"Reading: 1 Writing: 3 Waiting: 1 \n"
)


def read(probe: Nginx) -> dict[str, float]:
    """The readings by name."""
    return {reading.name: reading.value for reading in probe.read()}


def settled(probe: Nginx, name: str, reaches: float) -> dict[str, float]:
    """The last of each reading once one has reached a value, or after three seconds."""
    give_up = time.monotonic() + 3.0
    found = read(probe)
    while found[name] < reaches and time.monotonic() < give_up:
        time.sleep(0.02)
        found |= read(probe)
    return found


def ask(server: NginxFront, path: str = "/", times: int = 1) -> None:
    """Requests whose answers do not matter."""
    for _ in range(times):
        with suppress(ProbeError):
            get(f"http://{server.address}{path}", timeout_s=5.0)


@contextmanager
def waiting(address: str, count: int, path: str = "/") -> Iterator[None]:
    """That many requests under way."""
    host, _, port = address.rpartition(":")
    with ExitStack() as sockets:
        for _ in range(count):
            sending = sockets.enter_context(connect((host, int(port)), 2.0))
            sending.sendall(f"GET {path} HTTP/1.1\r\nHost: h\r\n\r\n".encode())
        yield


@contextmanager
def probing(server: NginxFront) -> Iterator[Nginx]:
    """A probe of everything that it tells."""
    with closing(open_probe(parse_probe(server.probe))) as probe:
        yield probe


def failure(spec: str) -> str:
    """What opening a probe says when it fails."""
    with pytest.raises(ProbeError) as caught:
        open_probe(parse_probe(spec))
    return str(caught.value)


def test_counts_connections_and_requests_but_not_its_own(tmp_path: Path) -> None:
    """An idle nginx reads 0; three requests that wait for an upstream are three of each."""
    with (
        hostile("never_answers") as upstream,
        nginx_front(tmp_path, Front(servers=[upstream])) as server,
        probing(server) as probe,
    ):
        idle, again = settled(probe, "accepted", 1), read(probe)
        assert (idle["connections"], idle["writing"], idle["waiting"]) == (0, 0, 0)
        assert (again["accepted"], again["requests"]) == (idle["accepted"], idle["requests"])
        with waiting(server.address, 3):
            busy = settled(probe, "writing", 3)
        assert (busy["connections"], busy["writing"]) == (3, 3)
        assert busy["accepted"] - idle["accepted"] == 3
        assert busy["requests"] - idle["requests"] == 3
        assert busy["dropped"] == 0


def test_reads_responses_and_times_from_the_access_log(tmp_path: Path) -> None:
    """Classes are counted; a script of 50 ms takes as long in both times, and connects at once."""
    with (
        php_fpm(tmp_path, Pool()) as pool,
        nginx_front(tmp_path, Front(fastcgi=php_behind(pool.listen))) as server,
        probing(server) as probe,
    ):
        assert read(probe)["responses{class=2xx}"] == 0
        ask(server, "/wait.php?ms=50", times=5)
        found = settled(probe, "responses{class=2xx}", 5)
        assert found["responses{class=2xx}"] == 5
        ask(server, "/missing", times=2)
        assert settled(probe, "responses{class=4xx}", 2)["responses{class=4xx}"] == 2
    assert found["request_time_p95"] >= 50
    assert found["upstream_time_p50"] >= 50
    assert found["upstream_connect_time_p95"] < found["upstream_time_p50"]


def _refused(home: Path) -> tuple[Front, ExitStack]:
    del home
    return Front(servers=[f"127.0.0.1:{free_port()}"]), ExitStack()


def _silent(home: Path) -> tuple[Front, ExitStack]:
    del home
    stack = ExitStack()
    upstream = stack.enter_context(hostile("never_answers"))
    return Front(servers=[upstream], read_timeout_ms=100), stack


def _full_port(home: Path) -> tuple[Front, ExitStack]:
    del home
    stack = ExitStack()
    return Front(servers=[stack.enter_context(full_backlog())], connect_timeout_ms=100), stack


def _full_socket(home: Path) -> tuple[Front, ExitStack]:
    stack = ExitStack()
    listener = stack.enter_context(socket.socket(socket.AF_UNIX))
    listener.bind(f"{home}/full.sock")
    listener.listen(0)
    for _ in range(3):
        filler = stack.enter_context(socket.socket(socket.AF_UNIX))
        filler.settimeout(0)
        filler.connect_ex(f"{home}/full.sock")
    return Front(servers=[f"unix:{home}/full.sock"]), stack


def _closing(home: Path) -> tuple[Front, ExitStack]:
    del home
    stack = ExitStack()
    return Front(servers=[stack.enter_context(hostile("closes_without_answer"))]), stack


def _all_down(home: Path) -> tuple[Front, ExitStack]:
    del home
    return Front(servers=[f"127.0.0.1:{free_port()}", f"127.0.0.1:{free_port()}"]), ExitStack()


@pytest.mark.parametrize(
    ("behind", "kind"),
    [
        pytest.param(_refused, "connect() failed", id="refused"),
        pytest.param(_silent, "upstream timed out", id="silent"),
        pytest.param(_full_port, "upstream timed out", id="full port"),
        pytest.param(
            _full_socket, "connect() failed: temporarily unavailable", id="full unix socket"
        ),
        pytest.param(_closing, "upstream prematurely closed", id="closing"),
        pytest.param(_all_down, "no live upstreams", id="all down"),
    ],
)
def test_groups_what_the_error_log_says(
    tmp_path: Path, behind: Callable[[Path], tuple[Front, ExitStack]], kind: str
) -> None:
    """Each way in which an upstream fails is counted under its kind."""
    front, stack = behind(tmp_path)
    with stack, nginx_front(tmp_path, front) as server, probing(server) as probe:
        assert read(probe)[f"errors{{says={kind}}}"] == 0
        ask(server, times=4)
        found = settled(probe, "responses{class=5xx}", 4)
    assert found["responses{class=5xx}"] == 4
    assert found[f"errors{{says={kind}}}"] >= 1
    assert found["errors{says=other}"] == 0


def test_counts_what_found_no_connection(tmp_path: Path) -> None:
    """Beyond `worker_connections` a request fails, and the log tells why."""
    with (
        hostile("never_answers") as upstream,
        nginx_front(tmp_path, Front(servers=[upstream], worker_connections=12)) as server,
        probing(server) as probe,
        waiting(server.address, 12),
    ):
        name, count, give_up = (
            "errors{says=worker_connections are not enough}",
            0.0,
            time.monotonic() + 3.0,
        )
        while count < 1 and time.monotonic() < give_up:
            # The page may be what finds no connection.
            try:
                readings = probe.read()
            except PartialError as error:
                readings = error.readings
            count = next(reading.value for reading in readings if reading.name == name)
        assert count >= 1


def test_the_logs_speak_while_the_page_cannot(tmp_path: Path) -> None:
    """A page that is gone costs its own signals; what the logs say comes with the error."""
    with (
        nginx_front(tmp_path, Front(servers=["127.0.0.1:9"])) as server,
        probing(server) as probe,
    ):
        server.process.terminate()
        server.process.wait()
        with server.error_log.open("a") as log:
            log.write("2025/11/30 10:00:00 [error] 1#1: *1 upstream timed out (110), client: h\n")
        with pytest.raises(PartialError, match="nothing listens") as caught:
            probe.read()
        found = {reading.name: reading.value for reading in caught.value.readings}
    assert found["errors{says=upstream timed out}"] == 1
    assert "connections" not in found


def test_follows_a_rotated_log(tmp_path: Path) -> None:
    """Renamed and opened anew, as logrotate does it, no line is lost."""
    with (
        hostile("says_it_closes") as upstream,
        nginx_front(tmp_path, Front(servers=[upstream])) as server,
        probing(server) as probe,
    ):
        ask(server, times=2)
        server.access_log.rename(tmp_path / "front-access.log.1")
        ask(server, times=2)
        os.kill(server.process.pid, signal.SIGUSR1)
        settled(probe, "responses{class=2xx}", 4)
        while not server.access_log.exists():
            time.sleep(0.01)
        ask(server, times=2)
        assert settled(probe, "responses{class=2xx}", 6)["responses{class=2xx}"] == 6


def test_says_what_a_log_will_not_tell(tmp_path: Path) -> None:
    """Lines without the labels are told from lines with them, before any load."""
    with nginx_front(tmp_path, Front(servers=["127.0.0.1:9"])) as server:
        plain = tmp_path / "combined.log"
        plain.write_text('h - - [t] "GET / HTTP/1.1" 200 5 "-" "-"\n' * 3)
        probe = open_probe(parse_probe(f"nginx:{server.status_url},access_log={plain}"))
        with closing(probe):
            assert probe.remark is not None
            assert "no rt=$request_time, no urt=$upstream_response_time" in probe.remark
            assert "no status" not in probe.remark
        plain.write_text("1764500000.000 200\n" * 3)
        probe = open_probe(parse_probe(f"nginx:{server.status_url},access_log={plain}"))
        with closing(probe):
            assert probe.remark is not None
            assert "no status" in probe.remark
        with probing(server) as probe:
            assert probe.remark is None


def test_says_what_is_wrong(tmp_path: Path) -> None:
    """A page that is another, a log that is none, a server that is gone."""
    with nginx_front(tmp_path, Front(servers=["127.0.0.1:9"])) as server:
        says = failure(f"nginx:{server.status_url},access_log={tmp_path}/none.log")
        assert "none.log cannot be read (No such file" in says
        assert "regular file" in failure(f"nginx:{server.status_url},error_log={tmp_path}")
        assert "answered 404" in failure(f"nginx:{server.status_url}x")
    assert "nothing listens" in failure(f"nginx:{server.status_url}")


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_survives_every_hostile_server(name: str) -> None:
    """Whatever speaks at the address, opening ends in a ProbeError."""
    with hostile(name) as address:
        assert failure(f"nginx:http://{address}/stub_status,timeout=100ms")


def test_a_page_becomes_a_status() -> None:
    """Every number is where it belongs, also where a version adds one more column."""
    expected = Status(5, 70, 68, 90, 1, 3, 1)
    assert parse_page(PAGE) == expected
    assert parse_page(PAGE.replace(b"90 \n", b"90 1200 \n")) == expected


@given(body=st.one_of(st.binary(), st.text("Active conetis:0123 \n").map(str.encode)))
def test_any_page_is_a_status_or_a_value_error(body: bytes) -> None:
    """Nothing a server sends raises anything else."""
    with suppress(ValueError):
        parse_page(body)
