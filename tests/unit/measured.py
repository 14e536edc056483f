"""A stand-in for the whole of the engine's tally."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from fakes import FakeTally

if TYPE_CHECKING:
    from breakstep._engine import Tally


@dataclass
class FullTally(FakeTally):
    """Also what only a session reads."""

    statuses: dict[int, int] = field(default_factory=dict)
    causes: dict[str, int] = field(default_factory=dict)
    connections_opened: int = 0
    retried: int = 0
    unsolicited: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    in_flight_ns: int = 0
    run_delay_ns: int = 0

    @property
    def as_engines(self) -> Tally:
        """Where the engine's own type is asked for."""
        return cast("Tally", self)
