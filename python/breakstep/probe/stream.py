"""A connection on which all waiting together ends at one deadline, whatever the other side does."""

import io
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

Address = tuple[str, int] | str
"""Host and port, or the path of a unix socket."""

_CHUNK_BYTES = 65_536


@dataclass(slots=True)
class Stream:
    """A connected socket. A socket's own timeout bounds one call; drops of a byte outlive it."""

    connected: socket.socket
    deadline_s: float

    def sendall(self, data: bytes) -> None:
        """Sends all of it. Raises OSError, TimeoutError at the deadline."""
        self.connected.settimeout(self._left_s())
        self.connected.sendall(data)

    def receive(self) -> bytes:
        """What has arrived, empty at the end. Raises OSError, TimeoutError at the deadline."""
        self.connected.settimeout(self._left_s())
        return self.connected.recv(_CHUNK_BYTES)

    def makefile(self, _mode: str = "rb") -> io.BufferedReader:
        """The same to read from, as http.client wants it."""
        return io.BufferedReader(_Reader(self))

    def close(self) -> None:
        """Left to who opened it: http.client would close too early."""

    def read_into(self, buffer: "bytearray | memoryview") -> int:
        """Receives into a buffer."""
        self.connected.settimeout(self._left_s())
        return self.connected.recv_into(buffer)

    def _left_s(self) -> float:
        left_s = self.deadline_s - time.monotonic()
        if left_s <= 0.0:
            raise TimeoutError
        return left_s


@contextmanager
def connected(address: Address, timeout_s: float) -> Iterator[Stream]:
    """A stream to an address, closed on leaving. Raises OSError."""
    deadline_s = time.monotonic() + timeout_s
    with connect(address, timeout_s) as plain:
        yield Stream(plain, deadline_s)


def connect(address: Address, timeout_s: float) -> socket.socket:
    """A connected socket. Raises OSError."""
    if isinstance(address, tuple):
        return socket.create_connection(address, timeout=timeout_s)
    plain = socket.socket(socket.AF_UNIX)
    try:
        plain.settimeout(timeout_s)
        plain.connect(address)
    except BaseException:
        plain.close()
        raise
    return plain


class _Reader(io.RawIOBase):
    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "bytearray | memoryview") -> int:  # type: ignore[override]
        return self._stream.read_into(buffer)
