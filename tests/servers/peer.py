"""One accepted connection, seen from a server that may do anything with it."""

import socket
import struct
from threading import Event
from typing import Final

_RECEIVE_BYTES: Final = 65_536
_HEAD_END: Final = b"\r\n\r\n"


class Peer:
    """A blocking connection. `stopping` is set when the server is to end."""

    def __init__(self, connection: socket.socket, stopping: Event) -> None:
        self._connection = connection
        self._received = b""
        self.stopping = stopping
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def request(self) -> bytes | None:
        """The head of the next request, whose body must be empty; None when the client left."""
        while _HEAD_END not in self._received:
            received = self._connection.recv(_RECEIVE_BYTES)
            if not received:
                return None
            self._received += received
        head, _, self._received = self._received.partition(_HEAD_END)
        return head + _HEAD_END

    def some(self) -> bytes:
        """Whatever the client sent; empty when it left."""
        return self._connection.recv(_RECEIVE_BYTES)

    def send(self, data: bytes) -> None:
        """Sends all of it."""
        self._connection.sendall(data)

    def pause(self, seconds: float) -> None:
        """Waits, but not beyond the end of the server."""
        self.stopping.wait(seconds)

    def wait_until_client_leaves(self) -> None:
        """Swallows what arrives, until there is no more."""
        while self.some():
            pass

    def reset(self) -> None:
        """Closes with an RST instead of a FIN."""
        linger = struct.pack("ii", 1, 0)
        self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self._connection.close()
