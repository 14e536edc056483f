"""The queues in front of a unix listener, which the server behind it cannot see either."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from breakstep.model.errors import ProbeError
from breakstep.probe.reading import Reading
from breakstep.probe.sock_diag import State, UnixSocket, bits, unix_sockets

_INODE_BITS = 0xFFFFFFFF
"""As much of an inode as the kernel tells here."""


@dataclass(frozen=True, slots=True)
class UnixListen:
    """An open probe of a path, or of `@name`. It holds nothing."""

    where: str

    def read(self) -> Sequence[Reading]:
        """The queues now. Raises ProbeError."""
        try:
            listeners = bound_at(unix_sockets(bits(State.LISTEN)), self.where, file_of(self.where))
            names = {found.name for found in listeners}
            accepted = [
                found for name in names for found in unix_sockets(bits(State.ESTABLISHED), name)
            ]
        except OSError as error:
            raise ProbeError(
                f"this kernel does not tell the queue of a unix socket: {error}"
            ) from error
        if not listeners:
            raise ProbeError(
                f"nobody listens at {self.where}: is the server running, and is this the path"
                " that its own configuration names?"
            )
        return _readings(listeners, accepted)

    def close(self) -> None:
        """Nothing is held."""


def bound_at(
    sockets: Sequence[UnixSocket], name: str, file: tuple[int, int] | None
) -> list[UnixSocket]:
    """Those bound to this file; to this name if none is.

    A path may lead over symbolic links, and a restarted server makes a new file at the old path.
    """
    by_file = [found for found in sockets if file is not None and found.file == file]
    return by_file or [found for found in sockets if found.name == name]


def file_of(where: str) -> tuple[int, int] | None:
    """Inode and device of a path, as the kernel tells them of a socket; None without a file."""
    if where.startswith("@"):
        return None
    try:
        status = Path(where).stat()
    except OSError:
        return None
    # The kernel's own way of writing a device differs from that of stat.
    device = os.major(status.st_dev) << 20 | os.minor(status.st_dev)
    return status.st_ino & _INODE_BITS, device


def _readings(listeners: Sequence[UnixSocket], accepted: Sequence[UnixSocket]) -> Sequence[Reading]:
    fullest = max(listeners, key=lambda found: found.received / (found.limit + 1))
    unread = [found.received for found in accepted if found.received]
    return (
        Reading("accept_queue", "connections", fullest.received),
        Reading("accept_queue_limit", "connections", fullest.limit),
        Reading("established", "connections", len(accepted)),
        Reading("unread", "bytes", sum(unread)),
        Reading("unread_connections", "connections", len(unread)),
    )
