"""Which listeners get a new connection whenever the target is asked something.

A proxy or an app may open a connection for each request and close it with the answer: too short to
find both its ends. That one came, at this very moment and again at the next request, is seen.
"""

import socket
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from threading import Thread

from breakstep.probe.local_listeners import Listener
from breakstep.probe.sock_diag import State, TcpSocket, bits, tcp_sockets, unix_sockets

REQUESTS = 6
_MISSES = 1
_WATCH_S = 4.0
_PAUSE_S = 0.0002
_BEGUN = bits(*(set(State) - {State.SYN_RECEIVED, State.LISTEN}))

Poke = Callable[[], object]
"""Sends the target one request and waits for the answer."""


def called_by_each(poke: Poke, listeners: Iterable[Listener]) -> list[Listener]:
    """The listeners to which a new connection came with all requests, or all but one."""
    give_up_s = time.monotonic() + _WATCH_S
    told, known, asked = Counter[Listener](), list(listeners), 0
    while asked < REQUESTS and time.monotonic() < give_up_s:
        told.update(_during(poke, known))
        asked += 1
    return [one for one, times in told.items() if asked > _MISSES and times >= asked - _MISSES]


def _during(poke: Poke, listeners: list[Listener]) -> set[Listener]:
    tcp, unix = _tcp(), _unix()
    named = set[tuple[str, int]]()
    asking = Thread(target=_quietly, args=(poke,), daemon=True)
    asking.start()
    give_up_s = time.monotonic() + _WATCH_S
    while asking.is_alive() and time.monotonic() < give_up_s:
        named |= _unix() - unix
        asking.join(_PAUSE_S)
    names = {name for name, _ in named}
    fresh = [one for key, one in _tcp().items() if key not in tcp]
    return {
        one
        for one in listeners
        if one.name in names or any(_is_to(one, connection) for connection in fresh)
    }


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


def _quietly(poke: Poke) -> None:
    # Whether the target answers is told elsewhere.
    with suppress(Exception):
        poke()
