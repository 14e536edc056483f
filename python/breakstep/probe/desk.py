"""All probes of a run: opened together, sampled each in its own thread, emptied from one place."""

import threading
from collections.abc import Sequence
from typing import Protocol

from breakstep.model.errors import ProbeError
from breakstep.model.probe import ProbeSpec, ProbeState
from breakstep.model.signal import Sample
from breakstep.probe.agent_client import AgentFeed
from breakstep.probe.registry import open_probe
from breakstep.probe.sampler import Deliver, Sampler

WAITING_MAX = 200_000
"""Samples nobody took yet; more are lost, and said to be."""


class Feed(Protocol):
    """Something that delivers samples until stopped."""

    def start(self) -> None:
        """Begins."""

    def stop(self) -> None:
        """Ends within seconds."""

    def state(self) -> ProbeState:
        """How it fares."""


class ProbeDesk:
    """The probes of a run. Samples wait here until taken."""

    def __init__(self) -> None:
        self._feeds: list[Feed] = []
        self._waiting: list[Sample] = []
        self._lock = threading.Lock()
        self.lost = 0

    @classmethod
    def open(cls, specs: Sequence[ProbeSpec]) -> "ProbeDesk":
        """Opens every probe. Raises ProbeError with the trouble of each that cannot be read."""
        desk = cls()
        try:
            desk._open(specs)
        except ProbeError:
            desk.stop()
            raise
        return desk

    def start(self) -> None:
        """Begins to sample."""
        for feed in self._feeds:
            feed.start()

    def add(self, specs: Sequence[ProbeSpec]) -> None:
        """Opens more while the others are sampled, and begins to sample them. Raises ProbeError."""
        for feed in self._open(specs):
            feed.start()

    def _open(self, specs: Sequence[ProbeSpec]) -> Sequence[Feed]:
        before, faults = len(self._feeds), []
        for spec in specs:
            try:
                self._feeds.append(_feed(spec, self.deliver))
            except ProbeError as error:
                faults.append(f"--probe {spec.label}: {error}")
        if faults:
            raise ProbeError("\n".join(faults))
        return self._feeds[before:]

    def deliver(self, samples: Sequence[Sample]) -> None:
        """Called by the feeds, from their threads."""
        with self._lock:
            room = max(0, WAITING_MAX - len(self._waiting))
            self._waiting += samples[:room]
            self.lost += max(0, len(samples) - room)

    def take(self) -> list[Sample]:
        """What was delivered since the last take."""
        with self._lock:
            taken, self._waiting = self._waiting, []
        return taken

    def states(self) -> list[ProbeState]:
        """How each fares, in the order given."""
        return [feed.state() for feed in self._feeds]

    def stop(self) -> None:
        """Ends every feed, those that never started too."""
        for feed in self._feeds:
            feed.stop()


def _feed(spec: ProbeSpec, deliver: Deliver) -> Feed:
    if spec.kind == "agent":
        return AgentFeed(spec, deliver)
    return Sampler(spec, open_probe(spec), deliver)
