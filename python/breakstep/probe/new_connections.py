"""Which listeners get a new connection whenever the target is asked something, and not otherwise.

A proxy or an app may open a connection for each request and close it with the answer: too short to
find both its ends. Seen is that one came with every request, and none came to the same place in
times of the same length between them, as would to a service that others keep busy.
"""

import socket
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from threading import Thread

from breakstep.probe.local_listeners import Listener
from breakstep.probe.sock_diag import State, TcpSocket, bits, tcp_sockets, unix_sockets

REQUESTS = 10
_REQUESTS_MIN = 4
_EXCEPTIONS = 8
"""One of so many times may be an exception, either way."""
_WATCH_S = 6.0
_PAUSE_S = 0.0002
_GLANCE_AFTER_S = 0.005
_BEGUN = bits(*(set(State) - {State.SYN_RECEIVED, State.LISTEN}))

Poke = Callable[[], object]
"""Sends the target one request and waits for the answer."""


def called_by_each(
    poke: Poke, listeners: Iterable[Listener], glance: Callable[[], object]
) -> list[Listener]:
    """The listeners that every request leads to by a new connection; none after few requests.

    `glance` is called in the middle of requests that take their time.
    """
    give_up_s = time.monotonic() + _WATCH_S
    with_it, without, known, asked = Counter[Listener](), Counter[Listener](), list(listeners), 0
    while asked < REQUESTS and time.monotonic() < give_up_s:
        began_s = time.monotonic()
        with_it.update(_during(poke, known, glance))
        took_s = time.monotonic() - began_s
        without.update(_during(partial(time.sleep, took_s), known, _nothing))
        asked += 1
    exceptions = asked // _EXCEPTIONS
    return [
        one
        for one, times in with_it.items()
        if asked >= _REQUESTS_MIN and times >= asked - exceptions and without[one] <= exceptions
    ]


def _during(
    act: Callable[[], object], listeners: list[Listener], glance: Callable[[], object]
) -> set[Listener]:
    """The listeners that get a new connection while this goes on."""
    tcp, unix = _tcp(), _unix()
    named = set[tuple[str, int]]()
    acting = Thread(target=_quietly, args=(act,), daemon=True)
    acting.start()
    began_s = time.monotonic()
    while acting.is_alive() and (passed_s := time.monotonic() - began_s) < _WATCH_S:
        named |= _unix() - unix
        if passed_s > _GLANCE_AFTER_S:
            glance()
            glance = _nothing
        acting.join(_PAUSE_S)
    names = {name for name, _ in named}
    fresh = [one for key, one in _tcp().items() if key not in tcp]
    return {
        one
        for one in listeners
        if one.name in names or any(_is_to(one, connection) for connection in fresh)
    }


def _nothing() -> None:
    pass


def _is_to(listener: Listener, connection: TcpSocket) -> bool:
    """Seen from either end: the one that closed first remains."""
    incoming = listener.takes(connection.local, connection.port)
    return incoming or listener.takes(connection.peer, connection.peer_port)


def _unix() -> set[tuple[str, int]]:
    return {(one.name, one.inode) for one in unix_sockets(bits(State.ESTABLISHED)) if one.name}


def _tcp() -> dict[bytes, TcpSocket]:
    """Connections that are, and that ended a moment ago."""
    return {
        one.addresses: one
        for family in (socket.AF_INET, socket.AF_INET6)
        for one in tcp_sockets(family, _BEGUN)
    }


def _quietly(act: Callable[[], object]) -> None:
    # Whether the target answers is told elsewhere.
    with suppress(Exception):
        act()
