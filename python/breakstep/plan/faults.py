"""Faults of a plan, each with its place, collected so that all are told at once."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from breakstep.model.errors import PlanError
from breakstep.model.printable import printable
from breakstep.plan.redact import REDACTED

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a word was said: a flag, or a key of a file with its line and column from 1.

    >>> Place("--hold").prefix, Place("load.hold", "breakstep.yaml", 12, 9).prefix
    ('--hold: ', 'breakstep.yaml:12:9: load.hold: ')
    """

    name: str
    file: str = ""
    line: int = 0
    column: int = 0

    @property
    def prefix(self) -> str:
        """How a fault of this place begins."""
        position = f"{self.file}:{self.line}:{self.column}: " if self.file else ""
        return position + (f"{self.name}: " if self.name else "")


LONGEST = 500
"""Characters of a fault that are shown."""
NOWHERE = Place("")
"""For a fault that says itself what it is about."""


Fault = tuple[Place, str]


class Faults:
    """Collects faults; what is read of a faulty text is None, and reading goes on.

    `hidden` are texts that no fault may show, `found` what was wrong before.
    """

    def __init__(self, hidden: Iterable[str] = (), found: Iterable[Fault] = ()) -> None:
        self.found = list(found)
        self._hidden = sorted(hidden, key=len, reverse=True)

    def __bool__(self) -> bool:
        return bool(self.found)

    def of(self, place: Place, read: Callable[[str], T], text: str | None) -> T | None:
        """What `read` makes of the text; None when there is none or it is at fault."""
        if text is None:
            return None
        try:
            return read(text)
        except ValueError as error:
            self.add(place, str(error))
            return None

    def add(self, place: Place, says: str) -> None:
        """A fault of this place."""
        for hidden in self._hidden:
            says = says.replace(hidden, REDACTED)
        self.found.append((place, printable(place.prefix + says, LONGEST)))

    def clause(self, place: Place, says: str) -> None:
        """A fault that names its words itself."""
        self.add(replace(place, name=""), says)

    def when(self, wrong: bool, place: Place, says: str) -> None:  # noqa: FBT001
        """A fault of this place, if it is one."""
        if wrong:
            self.add(place, says)

    def together(self, place: Place, names: Sequence[str], says: str) -> None:
        """A fault that ends with the names of other words; none without any."""
        if names:
            self.clause(place, f"{says} {', '.join(names)}")

    def raise_if_any(self) -> None:
        """Raises PlanError: those of flags as they were found, then those of a file by line."""
        if self.found:
            ordered = sorted(self.found, key=lambda fault: (fault[0].line, fault[0].column))
            raise PlanError(list(dict.fromkeys(text for _, text in ordered)))
