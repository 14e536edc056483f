"""Fetching a status page: bounded, with the reason and no secret when it fails."""

import socket
import time
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakstep.lab.servers.process import free_port
from breakstep.model.errors import ProbeError
from breakstep.probe.http_get import _exchange, get
from breakstep.probe.stream import Stream
from servers.hostile import BEHAVIOURS, BODY, Behaviour, behaving, full_backlog, hostile
from servers.nginx import nginx
from servers.peer import Peer


def answering(response: bytes) -> Behaviour:
    """Answers once and leaves."""

    def behave(peer: Peer) -> None:
        if peer.request() is not None:
            peer.send(response)

    return behave


def failure(url: str, **options: float) -> str:
    """What `get` says when it fails."""
    with pytest.raises(ProbeError) as caught:
        get(url, **{"timeout_s": 1.0, **options})  # type: ignore[arg-type]
    return str(caught.value)


def test_fetches_over_http_and_tls(tmp_path: Path) -> None:
    """The body of a real nginx arrives whole; its certificate of our own needs `insecure`."""
    with nginx(tmp_path) as server:
        plain = get(f"http://{server.address}/", timeout_s=2.0)
        secure = get(f"https://{server.address_tls}/", timeout_s=2.0, insecure=True)
        assert plain == secure
        assert len(plain) == 100
        says = failure(f"https://{server.address_tls}/")
        assert "is not trusted" in says
        assert "insecure=yes" in says
        assert "answered 404: is it" in failure(f"http://{server.address}/missing")
        assert "no TLS" in failure(f"https://{server.address}/")


def test_sends_the_user_of_the_url_and_never_shows_it() -> None:
    """Name and password become basic authentication, and are in no message."""
    seen: list[bytes | None] = []

    def refuse(peer: Peer) -> None:
        seen.append(peer.request())
        peer.send(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")

    with behaving(refuse) as address:
        says = failure(f"http://me:se%20cret@{address}/stats;csv?token=abc")
    assert b"Authorization: Basic bWU6c2UgY3JldA==\r\n" in (seen[0] or b"")
    assert b"GET /stats;csv?token=abc HTTP/1.1\r\n" in (seen[0] or b"")
    assert "answered 401: allow this machine" in says
    assert not any(secret in says for secret in ("se%20cret", "abc", "me:"))


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("127.0.0.1/status", "no URL"),
        ("ftp://h/", "no URL"),
        ("http://h:99999/", "no URL"),
        ("http:///status", "no URL"),
        ("http://[::1/", "no URL"),
        ("http://a..b/", "HTTP"),
        ("http://nowhere.invalid/", "cannot be reached"),
    ],
)
def test_says_what_is_wrong_with_an_address(url: str, reason: str) -> None:
    """An address that cannot be used is named with the reason."""
    assert reason in failure(url)


def test_says_that_nothing_listens() -> None:
    """A refused connection asks whether the server runs."""
    port = free_port()
    assert f"nothing listens at 127.0.0.1:{port}" in failure(f"http://127.0.0.1:{port}/")


def test_does_not_follow_a_redirect() -> None:
    """A redirect is an answer that is no status page."""
    moved = b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"
    with behaving(answering(moved)) as address:
        assert "answered 302" in failure(f"http://{address}/")


def test_ignores_a_proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server named is the one that is asked."""
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{free_port()}")
    with hostile("says_it_closes") as address:
        assert get(f"http://{address}/", timeout_s=1.0) == BODY


def test_takes_no_more_than_the_limit() -> None:
    """A body beyond the limit is refused, one at the limit is not."""
    with hostile("says_it_closes") as address:
        assert get(f"http://{address}/", timeout_s=1.0, limit_bytes=100) == BODY
        assert "more than 99 bytes" in failure(f"http://{address}/", limit_bytes=99)


def test_a_body_cut_short_is_no_body() -> None:
    """A connection that closes early fails, whatever arrived."""
    with behaving(answering(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")) as address:
        assert "before its answer was complete" in failure(f"http://{address}/")


@pytest.mark.parametrize(
    "drop",
    [
        pytest.param(b"", id="silence"),
        pytest.param(b"HTTP/1.1 100 Continue\r\n\r\n", id="endless continues"),
        pytest.param(b"x", id="endless status line"),
    ],
)
def test_a_drip_of_bytes_cannot_outlast_the_timeout(drop: bytes) -> None:
    """Bytes that arrive one by one do not prolong the wait."""

    def drip(peer: Peer) -> None:
        peer.request()
        while not peer.stopping.is_set():
            peer.send(drop)
            peer.pause(0.02)

    with behaving(drip) as address:
        began_s = time.monotonic()
        assert "did not answer within 0.2 s" in failure(f"http://{address}/", timeout_s=0.2)
        assert time.monotonic() - began_s < 2.0


def test_a_full_backlog_times_out() -> None:
    """A server that never accepts costs the timeout and no more."""
    with full_backlog() as address:
        assert "did not answer" in failure(f"http://{address}/", timeout_s=0.2)


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_survives_every_hostile_server(name: str) -> None:
    """Each behaviour ends in a body or in a ProbeError."""
    with hostile(name) as address, suppress(ProbeError):
        get(f"http://{address}/", timeout_s=0.3)


@given(
    answer=st.one_of(
        st.binary(max_size=300),
        st.binary(max_size=200).map(lambda body: b"HTTP/1.1 200 OK\r\n" + body),
        st.text("0123456789abcdefx-; \r\n", max_size=80).map(
            lambda body: b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body.encode()
        ),
    )
)
def test_any_bytes_end_in_a_body_or_an_error(answer: bytes) -> None:
    """Whatever a server writes, nothing but the errors that `get` explains comes out."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(answer)
        theirs.shutdown(socket.SHUT_WR)
        with suppress(ProbeError, HTTPException, ValueError, OSError):
            body = _exchange(
                Stream(ours, time.monotonic() + 1.0), urlsplit("http://h/"), "http://h/", 1000
            )
            assert len(body) <= 1000
