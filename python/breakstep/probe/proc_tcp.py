"""`/proc/net/tcp` and `tcp6`, for kernels that offer no sock_diag: slower, and without limits."""

import socket
import sys
from collections.abc import Iterator
from pathlib import Path

from breakstep.probe.sock_diag import State, TcpSocket

_COLUMNS = 10
_FAMILIES = (("tcp", socket.AF_INET), ("tcp6", socket.AF_INET6))
_UNKNOWN = -1


def proc_tcp_sockets(root: Path = Path("/")) -> list[TcpSocket]:
    """Every TCP socket of this network namespace. Raises OSError or ValueError."""
    found: list[TcpSocket] = []
    for name, family in _FAMILIES:
        path = root / "proc/net" / name
        if path.exists():
            found += parse_proc_tcp(path.read_text(encoding="ascii", errors="replace"), family)
    return found


def parse_proc_tcp(text: str, family: int) -> Iterator[TcpSocket]:
    """The sockets of one file, below its heading. Raises ValueError."""
    for line in text.splitlines()[1:]:
        row = line.split(None, _COLUMNS)
        if len(row) < _COLUMNS:
            raise ValueError(f"{line.strip()!r} has too few columns")
        unsent, _, received = row[4].partition(":")
        state = int(row[3], 16)
        yield TcpSocket(
            family,
            state,
            _addresses(row[1], row[2]),
            int(received, 16),
            # Of a listener this file does not give the limit.
            _UNKNOWN if state == State.LISTEN else int(unsent, 16),
            int(row[9]),
        )


def _addresses(local: str, peer: str) -> bytes:
    near, far = _address(local), _address(peer)
    return near[0] + far[0] + near[1] + far[1]


def _address(text: str) -> tuple[bytes, bytes]:
    """Port and address; the address is written as words in the machine's own order."""
    address, _, port = text.partition(":")
    words = [bytes.fromhex(address[at : at + 8]) for at in range(0, len(address), 8)]
    if sys.byteorder == "little":
        words = [word[::-1] for word in words]
    return bytes.fromhex(port), b"".join(words).ljust(16, b"\0")
