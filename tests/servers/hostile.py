"""Servers that misbehave in one named way each.

A behaviour gets one connection and holds it until it returns; the server then closes it.
"""

import gzip
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from threading import Event, Lock, Thread
from types import MappingProxyType
from typing import Final

from servers.peer import Peer

Behaviour = Callable[[Peer], None]

BODY: Final = b"x" * 100
HEAD: Final = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"
RESPONSE: Final = HEAD + BODY
TEN_GB: Final = 10_000_000_000

_BLOCK: Final = b"y" * 65_536
_BACKLOG_FILLERS: Final = 8
_TLS_ALERT: Final = bytes.fromhex("15 03 01 00 02 02 46")


def _answer(response: bytes, *, then_close: bool = False) -> Behaviour:
    """Answers every request with the same bytes, or only the first and then closes."""

    def behave(peer: Peer) -> None:
        while peer.request() is not None:
            peer.send(response)
            if then_close:
                return

    return behave


def _reset_after(sent: bytes) -> Behaviour:
    def behave(peer: Peer) -> None:
        if peer.request() is not None:
            peer.send(sent)
            # An RST would overtake bytes still on their way to the client.
            peer.pause(0.03)
            peer.reset()

    return behave


def _endless(start: bytes, again: Callable[[int], bytes], *, every_s: float = 0.0) -> Behaviour:
    def behave(peer: Peer) -> None:
        if peer.request() is None:
            return
        peer.send(start)
        for number in count():
            peer.pause(every_s)
            if peer.stopping.is_set():
                return
            peer.send(again(number))

    return behave


def _never_answers(peer: Peer) -> None:
    peer.wait_until_client_leaves()


def _banner_before_the_request(peer: Peer) -> None:
    peer.send(b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n")
    peer.wait_until_client_leaves()


def _garbage(peer: Peer) -> None:
    if peer.request() is not None:
        peer.send(bytes(range(256)) * 4)
        peer.wait_until_client_leaves()


def _split_at_every_byte(peer: Peer) -> None:
    response = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\n\r\n"
    while peer.request() is not None:
        for byte in response:
            peer.send(bytes([byte]))
            # Lets the client read before the next byte: the kernel would join them.
            peer.pause(0.000_1)


def _floods_idle_connections(peer: Peer) -> None:
    if peer.request() is None:
        return
    peer.send(RESPONSE)
    peer.pause(0.002)
    while not peer.stopping.is_set():
        peer.send(_BLOCK)


def _closes_when_used_again(peer: Peer) -> None:
    if peer.request() is not None:
        peer.send(RESPONSE)
        peer.request()


def _answers_head(peer: Peer) -> None:
    while (head := peer.request()) is not None:
        peer.send(HEAD if head.startswith(b"HEAD ") else RESPONSE)


def _plain_text_to_tls(peer: Peer) -> None:
    if peer.some():
        peer.send(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        peer.wait_until_client_leaves()


def _header(*lines: str, body: bytes = b"") -> bytes:
    return "\r\n".join(("HTTP/1.1 200 OK", *lines, "", "")).encode() + body


_BOMB_BODY: Final = gzip.compress(bytes(1_000_000), mtime=0)
GZIP_BOMB: Final = _header(
    "Content-Encoding: gzip", f"Content-Length: {len(_BOMB_BODY)}", body=_BOMB_BODY
)

BEHAVIOURS: Final[Mapping[str, Behaviour]] = MappingProxyType(
    {
        "never_answers": _never_answers,
        "one_byte_a_second": _endless(b"", lambda n: RESPONSE[n : n + 1], every_s=1.0),
        "endless_headers": _endless(b"HTTP/1.1 200 OK\r\n", lambda n: b"X-%d: y\r\n" % n * 50),
        "endless_header_line": _endless(b"HTTP/1.1 200 OK\r\nX: ", lambda _: _BLOCK),
        "endless_status_line": _endless(b"HTTP/1.1 200 ", lambda _: _BLOCK),
        "endless_1xx": _endless(b"", lambda _: b"HTTP/1.1 100 Continue\r\n\r\n" * 50),
        "endless_body": _endless(
            b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % TEN_GB, lambda _: _BLOCK
        ),
        "endless_chunks": _endless(
            _header("Transfer-Encoding: chunked"), lambda _: b"10000\r\n" + _BLOCK + b"\r\n"
        ),
        "endless_chunk_extension": _endless(
            _header("Transfer-Encoding: chunked", body=b"1;"), lambda _: _BLOCK
        ),
        "endless_trailers": _endless(
            _header("Transfer-Encoding: chunked", body=b"0\r\n"), lambda n: b"X-%d: y\r\n" % n * 50
        ),
        "length_too_long": _answer(_header("Content-Length: 200", body=BODY), then_close=True),
        "length_too_short": _answer(_header("Content-Length: 60", body=BODY)),
        "length_overflows": _answer(_header("Content-Length: 99999999999999999999", body=BODY)),
        "length_negative": _answer(_header("Content-Length: -100", body=BODY)),
        "two_lengths": _answer(_header("Content-Length: 10", "Content-Length: 100", body=BODY)),
        "bad_chunk_size": _answer(_header("Transfer-Encoding: chunked", body=b"xyz\r\nabc\r\n")),
        "bad_chunk_end": _answer(_header("Transfer-Encoding: chunked", body=b"3\r\nabcdef\r\n")),
        "chunk_size_overflows": _answer(
            _header("Transfer-Encoding: chunked", body=b"f" * 17 + b"\r\nabc\r\n")
        ),
        "garbage": _garbage,
        "ssh_banner": _banner_before_the_request,
        "reset_before": _reset_after(b""),
        "reset_in_head": _reset_after(HEAD[:20]),
        "reset_in_body": _reset_after(RESPONSE[:-50]),
        "reset_after": _reset_after(RESPONSE),
        "closes_without_answer": _answer(b"", then_close=True),
        "closes_in_head": _answer(HEAD[:20], then_close=True),
        "closes_in_chunk": _answer(
            _header("Transfer-Encoding: chunked", body=b"64\r\nabc"), then_close=True
        ),
        "closes_idle_connections": _answer(RESPONSE, then_close=True),
        "closes_when_used_again": _closes_when_used_again,
        "floods_idle_connections": _floods_idle_connections,
        "http_1_0": _answer(RESPONSE.replace(b"HTTP/1.1", b"HTTP/1.0"), then_close=True),
        "ends_by_closing": _answer(b"HTTP/1.1 200 OK\r\n\r\n" + BODY, then_close=True),
        "says_it_closes": _answer(
            _header("Connection: close", "Content-Length: 100", body=BODY), then_close=True
        ),
        "chunked_with_trailers": _answer(
            _header(
                "Transfer-Encoding: chunked",
                body=b'4;name="value"\r\nabcd\r\n00A\r\n0123456789\r\n0;last\r\nX-Sum: 1\r\n\r\n',
            )
        ),
        "early_hints_first": _answer(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + RESPONSE),
        "no_content": _answer(b"HTTP/1.1 204 No Content\r\n\r\n"),
        "not_modified": _answer(b"HTTP/1.1 304 Not Modified\r\nContent-Length: 100\r\n\r\n"),
        "redirect": _answer(
            b"HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n"
        ),
        "not_found": _answer(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"),
        "unavailable": _answer(b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n", then_close=True),
        "answers_head": _answers_head,
        "split_at_every_byte": _split_at_every_byte,
        "gzip_bomb": _answer(GZIP_BOMB),
        "tls_alert": _answer(_TLS_ALERT, then_close=True),
        "plain_text_to_tls": _plain_text_to_tls,
    }
)


@contextmanager
def hostile(name: str) -> Iterator[str]:
    """The address of a server with that behaviour, on loopback."""
    with behaving(BEHAVIOURS[name]) as address:
        yield address


@contextmanager
def behaving(behaviour: Behaviour) -> Iterator[str]:
    """The address of a server with a behaviour of the caller's own."""
    server = _Server(behaviour)
    try:
        yield server.address
    finally:
        server.stop()


@contextmanager
def full_backlog() -> Iterator[str]:
    """The address of a port whose backlog is full, so that further connections never open."""
    with ExitStack() as sockets:
        listener = sockets.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        port: int = listener.getsockname()[1]
        for _ in range(_BACKLOG_FILLERS):
            filler = sockets.enter_context(socket.socket())
            filler.settimeout(0)
            filler.connect_ex(("127.0.0.1", port))
        yield f"127.0.0.1:{port}"


class _Server:
    """A thread that accepts, and one for each connection."""

    def __init__(self, behaviour: Behaviour) -> None:
        self._behaviour = behaviour
        self._stopping = Event()
        self._lock = Lock()
        self._connections: set[socket.socket] = set()
        self._threads: list[Thread] = []
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self._acceptor = Thread(target=self._accept, daemon=True)
        self._acceptor.start()

    @property
    def address(self) -> str:
        return "{}:{}".format(*self._listener.getsockname())

    def stop(self) -> None:
        self._stopping.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._acceptor.join()
        self._listener.close()
        with self._lock:
            for connection in self._connections:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        while not self._stopping.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                self._connections.add(connection)
            thread = Thread(target=self._serve, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        # The client is free to leave at any point, and many of the behaviours make it.
        with suppress(OSError):
            self._behaviour(Peer(connection, self._stopping))
        with self._lock:
            self._connections.discard(connection)
        connection.close()
