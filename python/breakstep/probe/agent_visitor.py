"""One connection, seen from the agent: who it is, what it may ask, when it is cut off."""

import asyncio
import hmac
import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from breakstep.probe.agent_protocol import NAME, REQUEST_MAX, VERSION, document, line

GREETING_S = 5.0
"""For the TLS handshake, and as long again for the token."""
CLOSING_S = 1.0
IDLE_S = 60.0
"""Clients ping every few seconds; one that is silent for so long is gone."""
QUEUE_BYTES = 262_144
"""Waiting for a slow client; one that lets more pile up is cut off."""


@dataclass(frozen=True, slots=True)
class Access:
    """Who may listen: whoever has the token; over TLS if there is a context for it."""

    token: str = field(repr=False)
    tls: ssl.SSLContext | None


@dataclass(eq=False, slots=True)
class Visitor:
    """A connection. Samples are for those that `started`."""

    address: str
    reader: asyncio.StreamReader
    transport: asyncio.Transport
    started: bool = False

    def send(self, text: bytes) -> bool:
        """Whether it keeps up. One that does not is cut off."""
        if self.transport.get_write_buffer_size() > QUEUE_BYTES:
            self.transport.abort()
            return False
        self.transport.write(text)
        return True

    def close(self) -> None:
        """Ends the connection without waiting for what it does not read."""
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            self.transport.close()

    async def converse(self) -> None:
        """Answers until it leaves. Raises TimeoutError, OSError, ValueError: then it is to go."""
        while text := await self._line(IDLE_S):
            self._answer(document(text), time.time())

    async def proves(self, token: str) -> bool:
        """Whether its first line carries the token. Raises as `converse`; answers nothing."""
        name, _, given = (await self._line(GREETING_S)).rstrip(b"\r\n").partition(b" ")
        # The time that this takes says nothing about how much of the token was right.
        if not hmac.compare_digest(given, token.encode()) or not name.startswith(NAME.encode()):
            return False
        if name != f"{NAME}/{VERSION}".encode():
            raise UnknownVersionError
        return True

    async def _line(self, within_s: float) -> bytes:
        async with asyncio.timeout(within_s):
            return await self.reader.readline()

    def _answer(self, request: object, received_s: float) -> None:
        match request:
            case {"ping": int(number)}:
                self.send(line(_pong(number, received_s)))
            case {"start": True}:
                self.started = True
            case _:
                raise ValueError("nothing that a client may say")


class UnknownVersionError(ValueError):
    """It has the token, and speaks another version of the protocol."""


async def met(connection: socket.socket, address: str, tls: ssl.SSLContext | None) -> Visitor:
    """A visitor, after the TLS handshake if there is to be one. Raises OSError, TimeoutError."""
    reader = asyncio.StreamReader(REQUEST_MAX)
    protocol = asyncio.StreamReaderProtocol(reader)
    transport, _ = await asyncio.get_running_loop().connect_accepted_socket(
        lambda: protocol,
        connection,
        ssl=tls,
        ssl_handshake_timeout=GREETING_S if tls else None,
        ssl_shutdown_timeout=CLOSING_S if tls else None,
    )
    if tls is not None and transport.get_extra_info("cipher") is None:
        # It left during the handshake, which asyncio takes for an end of it.
        transport.abort()
        raise ConnectionAbortedError("it left during the TLS handshake")
    return Visitor(address, reader, transport)


def _pong(number: int, received_s: float) -> Mapping[str, float]:
    return {"pong": number, "received_s": received_s, "answered_s": time.time()}
