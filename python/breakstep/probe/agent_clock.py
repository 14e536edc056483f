"""Asks an agent for its time, again and again."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from breakstep.model.errors import ProbeError
from breakstep.probe.agent_connection import AgentConnection
from breakstep.probe.agent_protocol import Pong
from breakstep.probe.clock_offset import ClockOffset, Exchange

PINGS_AT_START = 8
COMPARE_S = 3.0


@dataclass(slots=True)
class Pinger:
    """One ping at a time. An answer to any other counts for nothing."""

    clock: ClockOffset = field(default_factory=ClockOffset)
    number: int = 0
    sent_s: float | None = None

    @property
    def offset_s(self) -> float:
        """What the agent's clock is ahead of ours."""
        return self.clock.best.offset_s

    @property
    def uncertainty_s(self) -> float:
        """The most by which that can be wrong."""
        return self.clock.best.uncertainty_s

    def ping(self) -> Mapping[str, int]:
        """The next ping, to be sent at once."""
        self.number += 1
        self.sent_s = time.time()
        return {"ping": self.number}

    def pong(self, pong: Pong) -> None:
        """Takes in the answer to it."""
        if pong.number != self.number or self.sent_s is None:
            return
        self.clock.add(Exchange(self.sent_s, pong.received_s, pong.answered_s, time.time()))
        self.sent_s = None


def compare_clocks(connection: AgentConnection) -> Pinger:
    """Pings an agent some times. Raises ProbeError if that gives no offset."""
    pinger = Pinger()
    until_s = time.monotonic() + COMPARE_S
    for _ in range(PINGS_AT_START):
        connection.send(pinger.ping())
        while pinger.sent_s is not None:
            match connection.receive(until_s):
                case Pong() as pong:
                    pinger.pong(pong)
                case None:
                    break
    if not pinger.clock.kept:
        raise ProbeError("the agent does not say what time it is")
    return pinger
