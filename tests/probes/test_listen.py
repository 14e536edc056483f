"""The listen probe sees the queues that the kernel keeps in front of a server."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakstep.lab.servers.process import free_port
from breakstep.model.errors import ProbeError
from breakstep.probe import sock_diag
from breakstep.probe.listen import Listen, Queues, queues_of
from breakstep.probe.proc_tcp import parse_proc_tcp, proc_tcp_sockets
from breakstep.probe.reading import Probe
from breakstep.probe.sock_diag import State, TcpSocket, bits, tcp_sockets
from probes.watching import during, eventually, now, probing
from servers.blocking import Blocking, answer, ask, blocking

LONG = 2_000_000
"""Iterations that keep an event loop for about a second."""
QUICK = 1


@contextmanager
def listener(backlog: int, host: str = "127.0.0.1") -> Iterator[socket.socket]:
    """A server that accepts only what a test accepts."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family, backlog=backlog) as server:
        yield server


def port_of(server: socket.socket) -> int:
    """Where it listens."""
    return int(server.getsockname()[1])


@contextmanager
def connected(server: socket.socket, count: int) -> Iterator[list[socket.socket]]:
    """So many clients, each connected as far as the kernel is concerned."""
    with ExitStack() as stack:
        yield [
            stack.enter_context(
                closing(socket.create_connection(server.getsockname()[:2], timeout=5))
            )
            for _ in range(count)
        ]


@contextmanager
def blocked(
    server: Blocking, probe: Probe, count: int
) -> Iterator[tuple[list[socket.socket], int]]:
    """Clients that the server knows, whose requests meet a blocked loop; the bytes of one each."""
    with ExitStack() as stack:
        clients = [stack.enter_context(closing(server.connect())) for _ in range(count)]
        for client in clients:
            ask(client, QUICK)
            answer(client)
        first, *others = clients
        ask(first, LONG)
        # The loop must have taken up the first before the others arrive.
        assert eventually(lambda: now(probe)["unread"] == 0)
        yield clients, {ask(client, QUICK) for client in others}.pop()


def test_the_kernel_holds_what_a_blocked_event_loop_does_not_know_of(tmp_path: Path) -> None:
    """Nine requests wait unread in front of Node, while the app's own counter says 1 throughout."""
    with blocking(tmp_path) as server, probing(f"listen:{server.where}") as probe:
        with blocked(server, probe, 10) as (clients, size):
            seen = now(probe)
            counted = [answer(client) for client in clients]
        calm = now(probe)
    assert counted == [1] * 10
    assert (seen["unread_connections"], seen["unread"]) == (9, 9 * size)
    assert seen["established"] == 10
    assert (calm["unread_connections"], calm["unread"]) == (0, 0)


def test_the_same_is_seen_behind_a_unix_socket(tmp_path: Path) -> None:
    """Five requests wait unread; connections that nobody accepted wait in the accept queue."""
    with (
        TemporaryDirectory() as home,
        blocking(tmp_path, path := f"{home}/app.sock") as server,
        probing(f"listen:{path}") as probe,
        blocked(server, probe, 6) as (clients, size),
        ExitStack() as late,
    ):
        for _ in range(3):
            late.enter_context(closing(server.connect()))
        seen = now(probe)
        assert [answer(client) for client in clients] == [1] * 6
    assert (seen["unread_connections"], seen["unread"]) == (5, 5 * size)
    assert (seen["accept_queue"], seen["accept_queue_limit"]) == (3, 511)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_the_accept_queue_and_its_limit_are_those_of_the_listener(host: str) -> None:
    """Three complete connections wait; one is accepted, two still wait."""
    with listener(7, host) as server, probing(f"listen:{port_of(server)}") as probe:
        with connected(server, 3):
            assert (now(probe)["accept_queue"], now(probe)["accept_queue_limit"]) == (3, 7)
            server.accept()[0].close()
            assert now(probe)["accept_queue"] == 2
        assert now(probe)["accept_queue_limit"] == 7


def test_a_queue_that_overflows_is_counted() -> None:
    """The kernel holds one more than the limit, and drops the rest."""
    with listener(2) as server, probing(f"listen:{port_of(server)}") as probe, ExitStack() as stack:
        clients = [stack.enter_context(closing(socket.socket())) for _ in range(8)]

        def connect() -> None:
            for client in clients:
                client.settimeout(0.0)
                client.connect_ex(server.getsockname())

        values = during(probe, connect)
    assert (values["accept_queue"], values["accept_queue_limit"]) == (3, 2)
    assert values["listen_overflows"] > 0
    assert values["listen_drops"] > 0


def test_what_a_client_does_not_take_is_unsent() -> None:
    """The server wrote it, and the kernel still has it."""
    with (
        listener(1) as server,
        probing(f"listen:{port_of(server)}") as probe,
        connected(server, 1),
        closing(server.accept()[0]) as accepted,
    ):
        accepted.settimeout(0.0)
        sent = 0
        with suppress(BlockingIOError):
            while True:
                sent += accepted.send(b"x" * 65536)
        assert 0 < now(probe)["unsent"] <= sent


def test_a_client_that_went_away_leaves_its_bytes_but_its_goodbye_is_none() -> None:
    """What it sent is still work for the server; it is no connection that is established."""
    with listener(1) as server, probing(f"listen:{port_of(server)}") as probe:
        client = socket.create_connection(server.getsockname())
        client.sendall(b"12345")
        client.close()
        assert eventually(lambda: now(probe)["established"] == 0)
        assert (now(probe)["unread"], now(probe)["unread_connections"]) == (5, 1)


def test_of_several_listeners_the_fullest_is_told() -> None:
    """One of a group on the same port may overflow while the others are empty."""
    full = TcpSocket(socket.AF_INET, State.LISTEN, b"", 8, 8, 1)
    empty = TcpSocket(socket.AF_INET, State.LISTEN, b"", 9, 100, 2)
    assert queues_of([full, empty]) == Queues(8, 8, 0, 0, 0, 0, 0)


def test_nobody_listening_is_an_error_that_says_what_to_look_at() -> None:
    """At the start, and whenever the server goes away; when it is back the probe reads again."""
    said = r"nobody listens on port \d+.*is the server running"
    with pytest.raises(ProbeError, match=said), probing(f"listen:{free_port()}"):
        pass
    with listener(1) as server:
        address = server.getsockname()
        probe = Listen(address[1], lambda port: tcp_sockets(socket.AF_INET, 0xFFF, port))
        probe.read()
    with pytest.raises(ProbeError):
        probe.read()
    with socket.create_server(address):
        assert now(probe)["accept_queue"] == 0


def test_a_path_where_nobody_listens_is_an_error(tmp_path: Path) -> None:
    """Whether there is a file or not."""
    (tmp_path / "stale").touch()
    for name in ("missing", "stale"):
        with (
            pytest.raises(ProbeError, match="nobody listens at"),
            probing(f"listen:{tmp_path}/{name}"),
        ):
            pass


def test_a_unix_socket_is_found_over_links_and_by_abstract_name() -> None:
    """The path that is asked for need not be the one that was bound."""
    with TemporaryDirectory() as home, socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{home}/real.sock")
        server.listen(5)
        link = Path(home, "link.sock")
        link.symlink_to("real.sock")
        with probing(f"listen:{link}") as probe:
            assert now(probe)["accept_queue_limit"] == 5
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("\0breakstep-test")
        server.listen(6)
        with probing("listen:@breakstep-test") as probe:
            assert now(probe)["accept_queue_limit"] == 6


def test_what_is_no_port_is_an_error_with_an_example() -> None:
    """Before anything is read."""
    for where in ("http", "0", "65536", "²", "127.0.0.1:80"):
        with pytest.raises(ProbeError, match="write listen:8080"), probing(f"listen:{where}"):
            pass


def test_sockets_are_the_same_read_in_one_go_or_one_by_one() -> None:
    """The kernel may put its last message, which is shorter, behind them."""
    with listener(9) as server, connected(server, 4):
        port = port_of(server)
        request = sock_diag._TCP_REQUEST.pack(socket.AF_INET, socket.IPPROTO_TCP, 0, 0xFFF)
        request += sock_diag._TCP_ID.pack(port, 0, b"", b"", b"", sock_diag._NO_COOKIE)
        buffers = list(sock_diag._buffers(request))
        found = len(tcp_sockets(socket.AF_INET, 0xFFF, port))
    at_once = [row for data in buffers for row in sock_diag._tcp_rows(data)]
    end = sock_diag._END + bytes(8)
    one_by_one = [row for data in buffers for row in sock_diag._tcp_rows(data + end)]
    assert at_once == one_by_one
    assert len(at_once) == found == 5


def _facts(found: TcpSocket) -> tuple[object, ...]:
    return found.state, found.port, found.peer_port, found.local, found.received, found.inode


def test_proc_and_netlink_say_the_same_of_a_port() -> None:
    """But for the limit, which /proc does not have."""
    with listener(9) as server, connected(server, 4) as clients:
        clients[0].sendall(b"waiting")
        port = port_of(server)
        by_netlink = tcp_sockets(socket.AF_INET, bits(State.LISTEN, State.ESTABLISHED), port)
        by_proc = [found for found in proc_tcp_sockets() if found.port == port]
    assert sorted(map(_facts, by_netlink)) == sorted(map(_facts, by_proc))
    assert str(by_proc[0].local) == "127.0.0.1"
    assert {found.unsent for found in by_proc if found.state == State.LISTEN} == {-1}
    queues = queues_of(by_proc)
    assert queues is not None
    assert (queues.accept, queues.accept_limit, queues.unread) == (4, None, 7)


@given(st.text(alphabet="0123456789ABCDEF: \n", max_size=300))
def test_no_text_is_too_odd_to_read(text: str) -> None:
    """It gives sockets or a ValueError, and nothing else."""
    with suppress(ValueError):
        list(parse_proc_tcp("heading\n" + text, socket.AF_INET))
