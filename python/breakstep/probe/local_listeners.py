"""Who listens on this machine, and which processes hold a socket."""

import os
import socket
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

from breakstep.probe.process_files import process_ids
from breakstep.probe.sock_diag import State, UnixSocket, bits, tcp_sockets, unix_sockets
from breakstep.probe.unix_queues import bound_at, file_of

_SOCKET = "socket:["
_INIT = 1

Address = IPv4Address | IPv6Address


@dataclass(frozen=True, slots=True)
class Listener:
    """A listening socket. `where` is its port or its path; `address` is None for a path.

    `name` is the path as it was bound: HAProxy binds another and renames it.
    """

    where: str
    inode: int
    address: Address | None = None
    name: str = ""

    @property
    def port(self) -> int:
        """0 for a path."""
        return int(self.where) if self.address is not None else 0

    def takes(self, address: Address, port: int) -> bool:
        """Whether a connection to this address and port comes here."""
        if self.address is None or self.port != port:
            return False
        other = plain(address)
        # Listening on all addresses of version 6 takes those of version 4 as well.
        all_of_them = self.address.is_unspecified and self.address.version >= other.version
        return all_of_them or plain(self.address) == other


def tcp_listeners() -> list[Listener]:
    """Of this network namespace. Raises OSError."""
    return [
        Listener(str(found.port), found.inode, found.local)
        for family in (socket.AF_INET, socket.AF_INET6)
        for found in tcp_sockets(family, bits(State.LISTEN))
    ]


def unix_listeners(where: str | None = None) -> list[Listener]:
    """All, or those at a path. Raises OSError."""
    found = unix_sockets(bits(State.LISTEN))
    if where is not None:
        found = bound_at(found, where, file_of(where))
    return [Listener(_path(one), one.inode, name=one.name) for one in found if one.name]


def listeners_at(where: str) -> list[Listener]:
    """At a port or a path. Raises OSError."""
    if where.isdecimal():
        return [one for one in tcp_listeners() if one.where == where]
    return unix_listeners(where)


def holders(inodes: Collection[int], proc: str = "/proc") -> set[int]:
    """The processes that hold one of these sockets, as far as this user may see.

    Not we; and not what started the system, which may hold a socket for a service that has it too.
    """
    found = {
        pid
        for pid in process_ids(proc)
        if pid != os.getpid() and any(inode in inodes for inode in sockets_of(pid, proc))
    }
    return found - {_INIT} or found


def sockets_of(pid: int, proc: str = "/proc") -> Iterator[int]:
    """The inodes of a process's sockets; none where we may not look."""
    directory = f"{proc}/{pid}/fd"
    try:
        names = os.listdir(directory)  # noqa: PTH208  thousands
    except OSError:
        return
    for name in names:
        try:
            target = os.readlink(f"{directory}/{name}")  # noqa: PTH115  thousands
        except OSError:
            continue
        if target.startswith(_SOCKET):
            yield int(target[len(_SOCKET) : -1])


def local_address(address: Address) -> bool:
    """Whether it is one of this machine's, in this network namespace: one that can be bound."""
    family = socket.AF_INET6 if isinstance(address, IPv6Address) else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as trial:
        try:
            trial.bind((str(address), 0))
        except OSError:
            return False
    return True


def _path(found: UnixSocket) -> str:
    """Where its file is now; its name if nobody knows."""
    if found.file is None or file_of(found.name) == found.file:
        return found.name
    try:
        beside = [str(path) for path in Path(found.name).parent.iterdir()]
    except OSError:
        return found.name
    return next((path for path in beside if file_of(path) == found.file), found.name)


def plain(address: Address) -> Address:
    """Of version 4, if it is one of these written as one of version 6."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address
