"""What every probe is: something that can be read again and again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from breakstep.model.errors import ProbeError
from breakstep.model.probe import ProbeSpec


@dataclass(frozen=True, slots=True)
class Reading:
    """One value as the source has it now.

    A `counter` only grows: what is kept of it is its growth a second, in `unit`. CPU seconds, read
    as a counter, become cores. Of a `share` no more than 1 is kept: two clocks make its rate.
    """

    name: str
    unit: str
    value: float
    counter: bool = False


class PartialError(ProbeError):
    """A part could not be read; `readings` are what could, and are kept."""

    def __init__(self, says: str, readings: Sequence[Reading]) -> None:
        super().__init__(says)
        self.readings = readings


class Probe(Protocol):
    """An open probe. It never changes what it looks at, and never waits longer than seconds.

    It may carry `remark`, a text: what its source cannot tell, said once beside its samples.
    """

    def read(self) -> Sequence[Reading]:
        """Everything now. Raises ProbeError; the next call tries again, connecting anew."""

    def close(self) -> None:
        """Lets go of what it holds. May be called while a read hangs in another thread."""


Opener = Callable[[ProbeSpec], Probe]
"""Connects and looks once. Raises ProbeError: what, where, and how to put it right."""
