"""The services of this machine that a listener leads to: who answers there, and whom they call.

A service is whoever holds a listener, with all descendants. It calls another when one of its
sockets is connected to a listener of the other.
"""

import socket
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from breakstep.plan.host_port import format_host_port
from breakstep.probe.local_listeners import (
    Listener,
    holders,
    local_address,
    plain,
    sockets_of,
    tcp_listeners,
    unix_listeners,
)
from breakstep.probe.process_files import ProcessStat, process_ids, read_process, read_program
from breakstep.probe.sock_diag import State, TcpSocket, UnixSocket, bits, tcp_sockets, unix_sockets

_PROC = "/proc"
_SERVICES_MAX = 12


@dataclass(frozen=True, slots=True)
class Service:
    """Processes that share a listener. `first` is the oldest of the family.

    `reached` are the listeners at which the target's clients or another service call it;
    `listeners` all that it has.
    """

    name: str
    first: int
    reached: tuple[Listener, ...]
    listeners: tuple[Listener, ...]


@dataclass(frozen=True, slots=True)
class Look:
    """The sockets and processes of one moment."""

    listeners: tuple[Listener, ...]
    tcp: tuple[TcpSocket, ...]
    unix: Mapping[int, UnixSocket]
    stats: Mapping[int, ProcessStat]


def look() -> Look:
    """Now. Raises OSError where the kernel does not tell."""
    connected = bits(State.ESTABLISHED)
    stats = ((pid, _stat(pid)) for pid in process_ids(_PROC))
    return Look(
        listeners=(*tcp_listeners(), *unix_listeners()),
        tcp=(*tcp_sockets(socket.AF_INET, connected), *tcp_sockets(socket.AF_INET6, connected)),
        unix={found.inode: found for found in unix_sockets(connected)},
        stats={pid: stat for pid, stat in stats if stat is not None},
    )


@dataclass(slots=True)
class Chain:
    """The services found so far, the target first."""

    services: dict[int, Service] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)
    """Places whose processes this user may not see."""
    elsewhere: dict[str, str] = field(default_factory=dict)
    """Places on other machines, and the service that calls them."""

    def follow(self, first: Iterable[Listener], at: Look) -> None:
        """Adds whoever holds these listeners, whom they call, and so on."""
        waiting, seen = list(first), set[int]()
        while waiting and len(self.services) < _SERVICES_MAX:
            listener = waiting.pop(0)
            if listener.inode in seen:
                continue
            seen.add(listener.inode)
            family = holders({listener.inode}, _PROC)
            if family:
                waiting += self._add(listener, _eldest(family, at.stats), at)
            else:
                self.hidden.add(listener.where)

    def _add(self, listener: Listener, first: int, at: Look) -> Iterator[Listener]:
        """The service that begins with this process, and the listeners of those that it calls."""
        family = descendants(first, at.stats) | {first}
        inodes = {inode for pid in family for inode in sockets_of(pid, _PROC)}
        known = self.services.get(first)
        service = self.services[first] = Service(
            name=_name(first, at.stats),
            first=first,
            reached=tuple(dict.fromkeys((*(known.reached if known else ()), listener))),
            listeners=tuple(one for one in at.listeners if one.inode in inodes),
        )
        called = (*_by_path(inodes, at), *self._by_port(service, inodes, at))
        return (one for one in called if one.inode not in inodes)

    def _by_port(self, service: Service, inodes: set[int], at: Look) -> Iterator[Listener]:
        for found in at.tcp:
            incoming = any(one.takes(found.local, found.port) for one in service.listeners)
            if found.inode not in inodes or incoming:
                continue
            if local_address(found.peer):
                yield from (one for one in at.listeners if one.takes(found.peer, found.peer_port))
            else:
                place = format_host_port(str(plain(found.peer)), found.peer_port)
                self.elsewhere[place] = service.name


def descendants(first: int, stats: Mapping[int, ProcessStat]) -> set[int]:
    """A process and all below it."""
    found, fresh = set[int](), {first}
    while fresh:
        found |= fresh
        fresh = {pid for pid, stat in stats.items() if stat.parent in fresh} - found
    return found


def _by_path(inodes: set[int], at: Look) -> Iterator[Listener]:
    """Listeners at the paths that the other ends of these sockets are bound to."""
    peers = (at.unix.get(at.unix[inode].peer) for inode in inodes if inode in at.unix)
    names = {peer.name for peer in peers if peer is not None and peer.name}
    yield from (one for one in at.listeners if one.name in names)


def _eldest(family: set[int], stats: Mapping[int, ProcessStat]) -> int:
    """The one that is nobody's child within the family; the one that began first of several."""
    # A worker that was forked since the look is not in it.
    known = [pid for pid in family if pid in stats]
    heads = [pid for pid in known if stats[pid].parent not in family]
    return min(heads, key=lambda pid: (stats[pid].started, pid), default=min(family))


def _name(pid: int, stats: Mapping[int, ProcessStat]) -> str:
    return read_program(_PROC, pid) or (stats[pid].name if pid in stats else str(pid))


def _stat(pid: int) -> ProcessStat | None:
    try:
        return read_process(_PROC, pid)
    except ValueError:
        return None
