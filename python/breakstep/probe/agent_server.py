"""Serves the samples of this machine's probes to whoever has the token. It takes no orders.

A client may ask for the time and for the samples. Which probes there are is the matter of whoever
started the agent: a client that could choose would have a shell.
"""

import asyncio
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import groupby

from breakstep.model.signal import Sample
from breakstep.probe.agent_protocol import NAME, VERSION, line, samples_lines
from breakstep.probe.agent_visitor import Access, UnknownVersionError, Visitor, met
from breakstep.probe.desk import ProbeDesk

CLIENTS_MAX = 8
STRANGERS_MAX = 16
"""Connections that have not shown the token yet; more are closed at once."""
PUBLISH_S = 0.25
STATES_S = 1.0
COMPLAIN_S = 1.0
"""Strangers may come by the thousand; not every one is worth a line."""

Say = Callable[[str], None]


class AgentServer:
    """Streams what a desk delivers to all clients, until cancelled."""

    def __init__(self, desk: ProbeDesk, access: Access, say: Say) -> None:
        self._desk = desk
        self._access = access
        self._say = say
        self._clients: set[Visitor] = set()
        self._visits: set[asyncio.Task[None]] = set()
        self._complained_s = 0.0

    async def serve(self, listener: socket.socket) -> None:
        """Serves whoever connects to a listening socket."""
        listener.setblocking(False)  # noqa: FBT003 - the name of the argument is `flag`
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._publish())
            tasks.create_task(self._accept(listener, tasks))

    async def _accept(self, listener: socket.socket, tasks: asyncio.TaskGroup) -> None:
        while True:
            try:
                connection, address = await asyncio.get_running_loop().sock_accept(listener)
            except OSError as error:
                # Out of descriptors, most likely, and some will be given back.
                self._say(f"cannot accept a connection: {error}")
                await asyncio.sleep(COMPLAIN_S)
                continue
            if len(self._visits) - len(self._clients) >= STRANGERS_MAX:
                connection.close()
                continue
            visit = tasks.create_task(self._visit(connection, str(address[0])))
            self._visits.add(visit)
            visit.add_done_callback(self._visits.discard)

    async def _visit(self, connection: socket.socket, address: str) -> None:
        try:
            with closing(await met(connection, address, self._access.tls)) as visitor:
                await self._receive(visitor)
        except Exception as error:  # noqa: BLE001  no visitor, whatever it does, ends the agent
            self._complain(f"ended a connection from {address}: {error or 'silent for too long'}")

    async def _receive(self, visitor: Visitor) -> None:
        try:
            proved = await visitor.proves(self._access.token)
        except UnknownVersionError:
            visitor.send(line({"refused": f"this agent speaks {NAME}/{VERSION} only"}))
            return
        if not proved:
            self._complain(f"{visitor.address} does not have the token")
        elif len(self._clients) >= CLIENTS_MAX:
            visitor.send(line({"refused": f"it serves {CLIENTS_MAX} clients already"}))
        else:
            self._clients.add(visitor)
            try:
                visitor.send(line(self._hello()))
                await visitor.converse()
            finally:
                self._clients.discard(visitor)

    async def _publish(self) -> None:
        states_s = time.monotonic()
        while True:
            await asyncio.sleep(PUBLISH_S)
            samples = self._desk.take()
            clients = [client for client in self._clients if client.started]
            if not clients:
                continue
            lines = list(_samples(samples))
            if time.monotonic() - states_s >= STATES_S:
                states_s = time.monotonic()
                lines.append(self._states())
            for client in clients:
                self._tell(client, lines)

    def _tell(self, client: Visitor, lines: Sequence[bytes]) -> None:
        if not all(client.send(text) for text in lines):
            self._clients.discard(client)
            self._say(f"cut off {client.address}: it reads too slowly")

    def _states(self) -> bytes:
        states = self._desk.states()
        return line({"states": [[state.label, state.failures, state.says] for state in states]})

    def _hello(self) -> dict[str, object]:
        probes = [[state.label, state.kind] for state in self._desk.states()]
        return {"hello": socket.gethostname(), "probes": probes}

    def _complain(self, says: str) -> None:
        if time.monotonic() - self._complained_s >= COMPLAIN_S:
            self._complained_s = time.monotonic()
            self._say(says)


def _samples(samples: Sequence[Sample]) -> Iterator[bytes]:
    for label, of_one in groupby(samples, key=lambda sample: sample.signal.source):
        yield from samples_lines(label, list(of_one))
