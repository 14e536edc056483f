"""The kernel's queues in front of a listener, which no application sees.

Connections that are complete wait in the accept queue; requests wait as bytes that nobody has read.
Both grow while an event loop or all workers are busy, whatever the server itself counts.
"""

import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from breakstep.model.errors import ProbeError
from breakstep.model.probe import ProbeSpec
from breakstep.probe.proc_tcp import proc_tcp_sockets
from breakstep.probe.reading import Reading
from breakstep.probe.sock_diag import State, TcpSocket, bits, tcp_sockets
from breakstep.probe.tcp_counters import listen_readings
from breakstep.probe.unix_queues import UnixListen

_PORT_MAX = 65_535
_CONNECTED = bits(State.ESTABLISHED, State.SYN_RECEIVED, State.CLOSE_WAIT)

Sockets = Callable[[int], Sequence[TcpSocket]]
"""Listeners and connections of a port. Raises OSError or ValueError."""


@dataclass(frozen=True, slots=True)
class Queues:
    """In front of one port. `accept_limit` is None where the kernel does not tell it."""

    accept: int
    accept_limit: int | None
    established: int
    syn_received: int
    unread: int
    unread_connections: int
    unsent: int


def open_probe(spec: ProbeSpec) -> "Listen | UnixListen":
    """Looks once. Raises ProbeError when nobody listens there."""
    where = spec.where.removeprefix("unix:")
    if where.startswith(("/", "@")):
        unix = UnixListen(where)
        unix.read()
        return unix
    port = int(where) if where.isascii() and where.isdecimal() else 0
    if not 0 < port <= _PORT_MAX:
        raise ProbeError(
            f"{where!r} is no port: write listen:8080, or listen:/run/app.sock for a unix socket"
        )
    listen = Listen(port, _sockets())
    listen.read()
    return listen


class Listen:
    """An open probe of a TCP port. It holds nothing."""

    def __init__(self, port: int, sockets: Sockets, root: Path = Path("/")) -> None:
        self._port = port
        self._sockets = sockets
        self._root = root

    def read(self) -> Sequence[Reading]:
        """The queues now. Raises ProbeError."""
        try:
            found = self._sockets(self._port)
        except (OSError, ValueError) as error:
            raise ProbeError(f"the kernel's sockets cannot be read: {error}") from error
        queues = queues_of(found)
        if queues is None:
            raise ProbeError(
                f"nobody listens on port {self._port} in this network namespace: is the server"
                " running, on this machine, and not behind the port mapping of a container?"
            )
        return [*_readings(queues), *listen_readings(self._root)]

    def close(self) -> None:
        """Nothing is held."""


def queues_of(sockets: Iterable[TcpSocket]) -> Queues | None:
    """The sums over a port; of several listeners the fullest. None without a listener.

    The end of a stream counts as one byte received; it is no byte that anybody will read.
    """
    by_state: dict[int, list[TcpSocket]] = {}
    for found in sockets:
        by_state.setdefault(found.state, []).append(found)
    listeners, established, closing = (
        by_state.get(state, ()) for state in (State.LISTEN, State.ESTABLISHED, State.CLOSE_WAIT)
    )
    if not listeners:
        return None
    fullest = max(listeners, key=lambda found: found.received / (max(found.unsent, 0) + 1))
    unread = [found.received for found in established if found.received]
    unread += [found.received - 1 for found in closing if found.received > 1]
    return Queues(
        accept=fullest.received,
        accept_limit=None if fullest.unsent < 0 else fullest.unsent,
        established=len(established),
        syn_received=len(by_state.get(State.SYN_RECEIVED, ())),
        unread=sum(unread),
        unread_connections=len(unread),
        unsent=sum(found.unsent for found in established),
    )


def _sockets() -> Sockets:
    try:
        tcp_sockets(socket.AF_INET, bits(State.LISTEN), 1)
    except OSError:
        return _by_proc
    return _by_sock_diag


def _by_sock_diag(port: int) -> Sequence[TcpSocket]:
    # The kernel walks its whole table of connections for each family: only where one listens.
    listeners = [
        found
        for family in (socket.AF_INET, socket.AF_INET6)
        for found in tcp_sockets(family, bits(State.LISTEN), port)
    ]
    families = {found.family for found in listeners}
    connections = [tcp_sockets(family, _CONNECTED, port) for family in families]
    return sum(connections, listeners)


def _by_proc(port: int) -> Sequence[TcpSocket]:
    return [found for found in proc_tcp_sockets() if found.port == port]


def _readings(queues: Queues) -> Iterator[Reading]:
    yield Reading("accept_queue", "connections", queues.accept)
    if queues.accept_limit is not None:
        yield Reading("accept_queue_limit", "connections", queues.accept_limit)
    yield Reading("established", "connections", queues.established)
    yield Reading("unread", "bytes", queues.unread)
    yield Reading("unread_connections", "connections", queues.unread_connections)
    yield Reading("unsent", "bytes", queues.unsent)
    yield Reading("syn_received", "connections", queues.syn_received)
