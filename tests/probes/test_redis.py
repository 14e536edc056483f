"""Redis: a real server at work, full, busy and locked, and impostors."""

import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakstep.lab.servers.process import free_port
from breakstep.model.errors import ProbeError
from breakstep.plan.probes import parse_probe
from breakstep.probe.redis import Redis, open_probe, parse_info, readings
from breakstep.probe.resp import Refused, command, receive
from breakstep.probe.stream import Stream
from servers import redis as servers
from servers.hostile import BEHAVIOURS, behaving, full_backlog, hostile
from servers.peer import Peer


@contextmanager
def serving(*settings: str) -> Iterator[servers.Redis]:
    """A real server."""
    with tempfile.TemporaryDirectory() as home, servers.redis(Path(home), *settings) as server:
        yield server


@pytest.fixture(scope="module")
def server() -> Iterator[servers.Redis]:
    """One for the tests that leave it as it was."""
    with serving("maxclients 20", "maxmemory 64mb") as running:
        yield running


@contextmanager
def probing(where: str) -> Iterator[Redis]:
    """An open probe."""
    probe = open_probe(parse_probe(f"redis:{where}"))
    try:
        yield probe
    finally:
        probe.close()


def values(probe: Redis) -> dict[str, float]:
    """What it reads."""
    return {reading.name: reading.value for reading in probe.read()}


def ask(address: str, *commands: tuple[str, ...]) -> None:
    """Sends commands over a connection of their own, one after the other."""
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=5.0) as connection:
        for words in commands:
            connection.sendall(command(*words))
            connection.recv(65_536)


def failure(where: str) -> str:
    """What is said when a probe cannot be opened."""
    with pytest.raises(ProbeError) as caught:
        open_probe(parse_probe(f"redis:{where}"))
    return str(caught.value)


def test_counts_operations_hits_and_misses_and_never_itself(server: servers.Redis) -> None:
    """A known number of commands is what the counters grow by, whatever the probe asks."""
    with probing(server.address) as probe:
        before = values(probe)
        for _ in range(5):
            values(probe)
        ask(server.address, ("SET", "a", "1"), *[("GET", "a")] * 7, *[("GET", "b")] * 3)
        after = values(probe)
    assert after["operations"] - before["operations"] == 11
    assert after["hits"] - before["hits"] == 7
    assert after["misses"] - before["misses"] == 3


def test_gauges_are_what_the_server_has(server: servers.Redis) -> None:
    """Its limits, and the clients but for the probe's own."""
    host, _, port = server.address.rpartition(":")
    with probing(server.address) as probe, ExitStack() as stack:
        assert values(probe)["clients"] == 0
        clients = [
            stack.enter_context(socket.create_connection((host, int(port)))) for _ in range(3)
        ]
        clients[0].sendall(command("BLPOP", "nothing", "60"))
        wait_until(lambda: values(probe)["clients_blocked"] == 1)
        found = values(probe)
    assert found["clients"] == 3
    assert found["clients_limit"] == 19
    assert found["memory_limit"] == 64 * 1024 * 1024
    assert 0 < found["memory"] < found["memory_limit"]


def test_without_a_limit_of_memory_there_is_no_signal_of_one() -> None:
    """Redis writes 0 where it knows no limit."""
    with serving() as server, probing(f"{server.socket}") as probe:
        assert "memory_limit" not in values(probe)


@pytest.mark.sockets
def test_sees_one_core_of_a_busy_server(server: servers.Redis) -> None:
    """A script that only computes shows as CPU, as the kernel counts it too."""
    script = "local n = 0 for i = 1, 2e7 do n = n + i end return n"
    with probing(f"{server.address},timeout=10s") as probe:
        before, kernel_before = values(probe)["cpu"], cpu_s(server.pid)
        ask(server.address, *[("EVAL", script, "0")] * 4)
        used, kernel = values(probe)["cpu"] - before, cpu_s(server.pid) - kernel_before
    assert used > 0.1
    assert used == pytest.approx(kernel, rel=0.1, abs=0.03)


def test_works_when_the_server_takes_no_more_clients(server: servers.Redis) -> None:
    """The connection of the start goes on answering, and counts those turned away."""
    host, _, port = server.address.rpartition(":")
    with probing(server.address) as probe, ExitStack() as stack:
        for _ in range(25):
            stack.enter_context(socket.create_connection((host, int(port))))
        wait_until(lambda: values(probe)["rejected_connections"] >= 6)
        found = values(probe)
        assert found["clients"] == found["clients_limit"] == 19
        assert "max number of clients reached" in failure(server.address)


def test_a_busy_server_costs_the_timeout_and_then_comes_back(server: servers.Redis) -> None:
    """A read in front of a long command gives up; a later one connects anew."""
    with probing(f"{server.address},timeout=200ms") as probe:
        script = "local n = 0 for i = 1, 2e8 do n = n + i end return n"
        busy = threading.Thread(target=ask, args=(server.address, ("EVAL", script, "0")))
        busy.start()
        try:
            wait_until(lambda: "no answer within 0.2 s" in (failed(probe) or ""))
        finally:
            busy.join()
        wait_until(lambda: failed(probe) is None)


def test_passwords_open_it_and_are_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """By option, by URL, by redis-cli's variable; a wrong one is refused and not told."""
    acl = "user watcher on >wSecret +info", "user blind on >bSecret -@all"
    with serving("requirepass s3cret", *acl) as server:
        where = server.address
        for good in (
            f"{where},password=s3cret",
            f":s3cret@{where}",
            f"redis://watcher:wSecret@{where}",
        ):
            with probing(good) as probe:
                assert values(probe)["clients"] == 0
        assert "NOAUTH Authentication required.: give password=" in failure(where)
        assert "is the password right?" in failure(f"{where},password=wr0ng")
        assert "let this user run INFO" in failure(f"blind:bSecret@{where}")
        monkeypatch.setenv("REDISCLI_AUTH", "s3cret")
        with probing(where):
            pass


def test_a_password_that_is_not_needed_does_no_harm(server: servers.Redis) -> None:
    """A server without one refuses it, and is asked all the same."""
    with probing(f"{server.address},password=any") as probe:
        assert "operations" in values(probe)


def test_connects_anew_after_a_restart(tmp_path: Path) -> None:
    """A server that ends costs its samples; the next one at the same place is read."""
    with servers.redis(tmp_path) as first:
        probe = open_probe(parse_probe(f"redis:{first.socket}"))
    try:
        assert "is Redis running there?" in (failed(probe) or "")
        with servers.redis(tmp_path) as second:
            assert second.socket == first.socket
            wait_until(lambda: failed(probe) is None)
    finally:
        probe.close()


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("127.0.0.1:99999", "write redis:HOST:PORT"),
        ("rediss://127.0.0.1:6379", "TLS is not spoken"),
        ("/nowhere/redis.sock", "no connection (No such file or directory)"),
        ("127.0.0.1:1,timeout=soon", "timeout=soon"),
    ],
)
def test_says_what_is_wrong_with_an_address(where: str, says: str) -> None:
    """The reason comes with what to write."""
    assert says in failure(where)


def test_says_that_nothing_listens() -> None:
    """A refused connection asks whether the server runs."""
    assert "Connection refused): is Redis running" in failure(f"127.0.0.1:{free_port()}")


def test_a_server_that_echoes_the_password_does_not_show_it() -> None:
    """What an impostor makes of the password is taken out of its words, its escapes too."""

    def echo(peer: Peer) -> None:
        peer.some()
        peer.send(b"-ERR you said \x1b[31mhunter2\r\n")

    with behaving(echo) as address:
        assert failure(f"{address},password=hunter2") == r"it answers ERR you said \x1b[31m***"


@pytest.mark.parametrize(
    "answer",
    [b"HTTP/1.1 200 OK\r\n\r\n", b"$999999999999\r\n", b"$-1\r\n", b"$3\r\nabcde", b"+OK\r\n"],
)
def test_what_is_no_redis_is_said_to_be_none(answer: bytes) -> None:
    """Another protocol, a size beyond the bound and an answer that is no INFO are refused."""

    def behave(peer: Peer) -> None:
        peer.some()
        peer.send(answer)
        peer.wait_until_client_leaves()

    with behaving(behave) as address:
        assert "does not speak as Redis does" in failure(address)


@pytest.mark.parametrize("endless", [b"+xxxxxxxx", b"$1000000\r\nxxxx"])
def test_a_drip_of_bytes_cannot_outlast_the_timeout(endless: bytes) -> None:
    """Bytes that arrive one by one do not prolong the wait."""

    def drip(peer: Peer) -> None:
        peer.send(endless)
        while not peer.stopping.is_set():
            peer.send(b"x")
            peer.pause(0.02)

    with behaving(drip) as address:
        began_s = time.monotonic()
        assert "no answer within 0.2 s" in failure(f"{address},timeout=200ms")
        assert time.monotonic() - began_s < 2.0


def test_a_full_backlog_times_out() -> None:
    """A server that never accepts costs the timeout and no more."""
    with full_backlog() as address:
        assert "no answer within 0.2 s" in failure(f"{address},timeout=200ms")


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_survives_every_hostile_server(name: str) -> None:
    """No behaviour of a server gives a signal or anything but a ProbeError."""
    with hostile(name) as address, pytest.raises(ProbeError):
        open_probe(parse_probe(f"redis:{address},timeout=300ms"))


def test_close_wakes_a_read_that_hangs() -> None:
    """A read in another thread fails at once, and the probe stays closed."""
    info = b"total_commands_processed:1\r\n"

    def once(peer: Peer) -> None:
        peer.some()
        peer.send(b"$%d\r\n%s\r\n" % (len(info), info))
        peer.wait_until_client_leaves()

    with behaving(once) as address:
        probe = open_probe(parse_probe(f"redis:{address},timeout=20s"))
        says: list[str | None] = []
        reader = threading.Thread(target=lambda: says.append(failed(probe)))
        reader.start()
        time.sleep(0.1)
        probe.close()
        reader.join(5.0)
        assert not reader.is_alive()
        assert says[0] is not None
        assert "closed" in (failed(probe) or "")


@given(
    sent=st.one_of(
        st.binary(max_size=60),
        st.text("+-:$0123456789\r\nabc", max_size=40).map(str.encode),
        st.binary(max_size=30).map(lambda body: b"$%d\r\n%s\r\n" % (len(body), body)),
    )
)
def test_any_bytes_end_in_a_reply_or_an_error(sent: bytes) -> None:
    """Whatever a server writes, nothing but the errors that are explained comes out."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(sent)
        theirs.shutdown(socket.SHUT_WR)
        with suppress(Refused, ValueError, OSError):
            assert isinstance(receive(Stream(ours, time.monotonic() + 1.0)), str)


@given(text=st.one_of(st.text(), st.text("total_commands_processed:0123456789\n.e-", max_size=80)))
def test_any_info_gives_numbers_or_a_value_error(text: str) -> None:
    """No text raises anything else."""
    with suppress(ValueError):
        assert all(isinstance(value, float) for value in parse_info(text).values())
    (operations,) = readings(parse_info(f"total_commands_processed:5\n# {text!a}"), asked=2)
    assert operations.value == 3.0


def failed(probe: Redis) -> str | None:
    """What it says if it cannot be read."""
    try:
        probe.read()
    except ProbeError as error:
        return str(error)
    return None


def wait_until(true: Callable[[], bool], patience_s: float = 10.0) -> None:
    """Returns once it is true."""
    give_up = time.monotonic() + patience_s
    while time.monotonic() < give_up:
        if true():
            return
        time.sleep(0.01)
    raise AssertionError("it never was")


def cpu_s(pid: int) -> float:
    """What the kernel counted for a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100.0
