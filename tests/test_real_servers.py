"""nginx and Node under a comfortable load: nothing is lost, and both sides count the same."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from breakstep._engine import Engine, Tally, request_bytes
from servers import nginx as nginx_server
from servers import node as node_server
from servers.nginx import Nginx
from servers.node import Node
from servers.offer import offer

pytestmark = pytest.mark.sockets

RATE: Final = 200.0
SECONDS: Final = 3.0
ARRIVALS: Final = 600
A_FEW: Final = 0.2
FEW_ARRIVALS: Final = 40


@pytest.fixture
def nginx(tmp_path: Path) -> Iterator[Nginx]:
    """An nginx of the test's own."""
    with nginx_server.nginx(tmp_path) as server:
        yield server


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    """A Node server of the test's own."""
    with node_server.node(tmp_path) as server:
        yield server


def test_nginx_logs_exactly_what_was_counted(nginx: Nginx) -> None:
    """Arrivals, sends, completions and lines of the access log are the same number."""
    tally = offer(_engine(nginx.address), RATE, SECONDS)

    log = nginx.requests()
    _assert_all_ok(tally, ARRIVALS)
    assert len(log) == ARRIVALS
    assert {line.status for line in log} == {200}
    assert sum(line.request_length for line in log) == tally.bytes_out
    assert len({line.connection for line in log}) == tally.connections_opened


def test_without_keep_alive_every_request_has_a_connection(nginx: Nginx) -> None:
    """As many connections as requests, also as nginx counts them."""
    tally = offer(_engine(nginx.address, keep_alive=False), RATE, SECONDS)

    _assert_all_ok(tally, ARRIVALS)
    assert tally.connections_opened == ARRIVALS
    assert tally.histogram("connect").count == ARRIVALS
    assert len({line.connection for line in nginx.requests()}) == ARRIVALS


def test_a_unix_socket_carries_the_same_load(nginx: Nginx) -> None:
    """`unix:PATH` is an address like any other."""
    tally = offer(_engine(nginx.address_unix), RATE, SECONDS)

    _assert_all_ok(tally, ARRIVALS)
    assert len(nginx.requests()) == ARRIVALS


def test_ipv6_carries_the_same_load(nginx: Nginx) -> None:
    """`[::1]:PORT` is an address like any other."""
    if nginx.address_ipv6 is None:
        pytest.skip("this host has no IPv6 loopback")
    tally = offer(_engine(nginx.address_ipv6), RATE, A_FEW)

    _assert_all_ok(tally, FEW_ARRIVALS)
    assert len(nginx.requests()) == FEW_ARRIVALS


def test_tls_with_the_right_authority_is_trusted(nginx: Nginx) -> None:
    """The CA file given is enough; connections are kept and shaken hands with once."""
    engine = _engine(nginx.address_tls, tls=True, ca_pem=nginx.ca_pem)
    tally = offer(engine, RATE, SECONDS)

    _assert_all_ok(tally, ARRIVALS)
    assert len({line.connection for line in nginx.requests()}) == tally.connections_opened


def test_tls_without_verification_is_accepted_when_asked_for(nginx: Nginx) -> None:
    """`insecure` accepts a certificate that nobody vouches for."""
    tally = offer(_engine(nginx.address_tls, tls=True, insecure=True), RATE, A_FEW)

    _assert_all_ok(tally, FEW_ARRIVALS)


@pytest.mark.parametrize("name", ["wrong authority", "wrong host name"])
def test_tls_that_cannot_be_verified_is_its_own_outcome(nginx: Nginx, name: str) -> None:
    """No request leaves over a connection that is not trusted."""
    if name == "wrong authority":
        engine = _engine(nginx.address_tls, tls=True)
    else:
        engine = _engine(nginx.address_tls, tls=True, ca_pem=nginx.ca_pem, host="example.com")
    tally = offer(engine, RATE, A_FEW)

    assert _ended(tally) == {"tls": FEW_ARRIVALS}
    assert sum(tally.causes.values()) == FEW_ARRIVALS
    assert tally.sent == 0
    assert nginx.requests() == []


def test_plain_text_to_a_tls_port_is_an_http_error(nginx: Nginx) -> None:
    """The 400 with which nginx explains itself is an answer, and counted as one."""
    tally = offer(_engine(nginx.address_tls), RATE, A_FEW)

    assert _ended(tally) == {"http_error": FEW_ARRIVALS}
    assert tally.statuses == {400: FEW_ARRIVALS}


def test_a_missing_page_is_counted_by_status(nginx: Nginx) -> None:
    """A complete 404 is an http_error, completed but not ok."""
    tally = offer(_engine(nginx.address, path="/missing"), RATE, A_FEW)

    assert _ended(tally) == {"http_error": FEW_ARRIVALS}
    assert (tally.completed, tally.completed_ok) == (FEW_ARRIVALS, 0)
    assert tally.statuses == {404: FEW_ARRIVALS}


def test_node_logs_exactly_what_was_counted(node: Node) -> None:
    """Chunked and kept alive by a server that is not ours."""
    tally = offer(_engine(node.address, path="/hello?a=1"), RATE, SECONDS)

    _assert_all_ok(tally, ARRIVALS)
    assert [line.path for line in node.requests()] == ["/hello?a=1"] * ARRIVALS


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_a_body_arrives_unchanged_and_comes_back(node: Node, method: str) -> None:
    """What Node hashes is what was sent, and its echo is received in full."""
    body = bytes(range(256)) * 300
    tally = offer(_engine(node.address, method=method, body=body), RATE, A_FEW)

    _assert_all_ok(tally, FEW_ARRIVALS)
    assert tally.bytes_in > FEW_ARRIVALS * len(body)
    assert {(line.method, line.sha256) for line in node.requests()} == {
        (method, hashlib.sha256(body).hexdigest())
    }
    assert len(node.requests()) == FEW_ARRIVALS


def _engine(  # noqa: PLR0913 - what the tests vary
    address: str,
    *,
    method: str = "GET",
    path: str = "/",
    body: bytes = b"",
    keep_alive: bool = True,
    tls: bool = False,
    ca_pem: bytes | None = None,
    insecure: bool = False,
    host: str = "localhost",
) -> Engine:
    return Engine(
        address=address,
        request=request_bytes(method, path, host, [], body, keep_alive),
        keep_alive=keep_alive,
        tls_server_name=host if tls else None,
        ca_pem=ca_pem,
        insecure=insecure,
    )


def _assert_all_ok(tally: Tally, arrivals: int) -> None:
    assert _ended(tally) == {"ok": arrivals}
    assert tally.arrivals == tally.sent == tally.completed == tally.completed_ok == arrivals
    assert tally.statuses == {200: arrivals}
    assert tally.histogram("ok").count == tally.histogram("lateness").count == arrivals
    assert tally.causes == {}


def _ended(tally: Tally) -> dict[str, int]:
    return {outcome: number for outcome, number in tally.outcomes.items() if number}
