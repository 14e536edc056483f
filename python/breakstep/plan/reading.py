"""A load-model file while it is read: where words stand, and how much there may be of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from breakstep.plan.faults import Faults, Place
from breakstep.plan.tree import Node

SPELLED_MAX = 16_000_000
"""Characters of a file once its aliases and variables are put in."""


FAULTS_MAX = 1000


class TooMuchError(Exception):
    """Reading ends here: the file stands for more than can be kept or told. A fault says so."""


@dataclass(frozen=True, slots=True)
class Said:
    """A word of the file: what it is, what of it may be shown, and where it stands."""

    value: Any
    shown: Any
    place: Place


@dataclass(frozen=True, slots=True)
class Part:
    """A section of the file: what was read of it by word, and where it stands."""

    words: Mapping[str, Any]
    place: Place

    def said(self) -> Iterator[tuple[str, Said]]:
        """Its single words."""
        return ((name, said) for name, said in self.words.items() if isinstance(said, Said))


@dataclass(slots=True)
class Reading:
    """What reading a file needs, and what came of it so far.

    `values` are those of the environment that were put in; `spelled` counts characters.
    """

    file: str
    environment: Mapping[str, str]
    faults: Faults
    values: set[str] = field(default_factory=set)
    spelled: int = 0

    def place(self, node: Node, name: str) -> Place:
        """Where a node stands."""
        return Place(name, self.file, node.line, node.column)

    def fault(self, node: Node, name: str, says: str) -> None:
        """Notes a fault of a node. Raises TooMuchError when nobody would read on."""
        self.faults.add(self.place(node, name), says)
        if len(self.faults.found) >= FAULTS_MAX:
            self.faults.clause(self.place(node, name), "what follows was not read: too many faults")
            raise TooMuchError

    def spend(self, characters: int) -> None:
        """Counts what was read. Raises TooMuchError."""
        self.spelled += 1 + characters
        if self.spelled > SPELLED_MAX:
            says = f"with its aliases and variables the file has over {SPELLED_MAX} characters"
            self.faults.clause(Place("", self.file, 1, 1), says)
            raise TooMuchError
