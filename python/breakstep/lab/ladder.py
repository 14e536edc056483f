"""Loads derived from what a stack carries, so that an experiment fits any machine."""

from collections.abc import Sequence
from dataclasses import dataclass

import breakstep
from breakstep.lab.stack import Stack
from breakstep.model.errors import LabError


@dataclass(frozen=True, slots=True)
class Ladder:
    """Rates that are these shares of what the service completes for a few users without pause.

    So many users should fill what breaks first, and no more than that: two for an event loop, as
    many as a pool has connections.
    """

    path: str
    users: int
    shares: tuple[float, ...]
    keep_alive: bool = True

    def __call__(self, stack: Stack) -> Sequence[float]:
        """Offers the users for some seconds. Raises LabError if that tells nothing."""
        carries_per_s = self.carries_per_s(stack)
        return [round(share * carries_per_s, 1) for share in self.shares]

    def carries_per_s(self, stack: Stack) -> float:
        """What it completes."""
        url = stack.url + self.path
        result = breakstep.sweep(
            url,
            concurrency=[self.users],
            hold="3s",
            keep_alive=self.keep_alive,
            insecure=url.startswith("https:"),
        )
        if result.answer.capacity_per_s is None:
            why = "; ".join(result.answer.caveats) or result.answer.status
            raise LabError(f"what {url} carries could not be measured: {why}")
        return result.answer.capacity_per_s
