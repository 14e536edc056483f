"""A client's connection to an agent: greeted with the token, then read message by message."""

import socket
import time
from collections.abc import Mapping
from typing import Any

from breakstep.model.errors import ProbeError
from breakstep.probe.agent_endpoint import Endpoint, connect
from breakstep.probe.agent_guard import Allowance
from breakstep.probe.agent_protocol import LINE_MAX, Hello, Message, Refused, greeting, line, parse

CONNECT_S = 3.0
"""For everything until the agent has said hello."""
_CHUNK_BYTES = 65_536
_TLS_RECORDS = (b"\x15\x03", b"\x16\x03")


class AgentConnection:
    """A connection to an agent that said hello. Waits end at instants of the monotonic clock.

    The allowance of bytes is the caller's: connecting anew gives an agent no more of it.
    """

    def __init__(self, where: Endpoint, allowance: Allowance) -> None:
        """Connects. Raises ProbeError."""
        until_s = time.monotonic() + CONNECT_S
        self._buffer = bytearray()
        self._heard = False
        self._allowance = allowance
        self._socket = connect(where, until_s)
        try:
            self.hello = self._greet(where, until_s)
        except BaseException:
            self._socket.close()
            raise

    def send(self, message: Mapping[str, Any]) -> None:
        """Says something short. Raises ProbeError."""
        self._send(line(message))

    def receive(self, until_s: float) -> Message | None:
        """What the agent says next, None if nothing by then. Raises ProbeError."""
        while (end := self._buffer.find(b"\n")) < 0:
            if not self._fill(until_s):
                return None
        text = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        try:
            return parse(text)
        except ValueError as error:
            raise ProbeError(f"what it says is not the language of an agent: {error}") from error

    def hang_up(self) -> None:
        """Ends what another thread waits for."""
        try:
            # Not the TLS socket's own: that takes its state away from under a reader.
            socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
        except OSError:
            return  # It has ended already.

    def close(self) -> None:
        """Lets go of the connection."""
        self._socket.close()

    def _greet(self, where: Endpoint, until_s: float) -> Hello:
        self._send(greeting(where.token))
        match self.receive(until_s):
            case Hello() as hello:
                return hello
            case Refused(why):
                raise ProbeError(f"it refused: {why}")
        raise ProbeError(f"{where} said no hello in {CONNECT_S:g} s: is it a breakstep agent?")

    def _send(self, text: bytes) -> None:
        try:
            self._socket.settimeout(CONNECT_S)
            self._socket.sendall(text)
        except OSError as error:
            raise self._broken() from error

    def _fill(self, until_s: float) -> bool:
        """Whether more has come by then."""
        left_s = until_s - time.monotonic()
        if left_s <= 0.0:
            return False
        try:
            self._socket.settimeout(left_s)
            chunk = self._socket.recv(_CHUNK_BYTES)
        except TimeoutError:
            return False
        except OSError as error:
            raise self._broken() from error
        if not chunk:
            raise self._broken()
        self._take(chunk)
        return True

    def _take(self, chunk: bytes) -> None:
        if not self._heard and chunk.startswith(_TLS_RECORDS):
            raise ProbeError(
                "it speaks TLS: give its certificate, or the authority, as cacert=FILE"
            )
        self._heard = True
        self._allowance.spend(len(chunk), time.monotonic())
        self._buffer += chunk
        if len(self._buffer) > LINE_MAX and b"\n" not in self._buffer:
            raise ProbeError(f"it sent a line of more than {LINE_MAX} bytes: is it an agent?")

    def _broken(self) -> ProbeError:
        if self._heard:
            return ProbeError("the connection to the agent was lost")
        return ProbeError(
            "the agent closed the connection without a word: wrong token, or does it want TLS "
            "(cacert=FILE)?"
        )
