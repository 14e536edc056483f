"""What a program printed: complete lines, and the numbers in them."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from breakstep.model.errors import ProbeError
from breakstep.model.printable import printable
from breakstep.probe.reading import Reading

LINE_MAX = 65_536
READ_MAX = 1_048_576
"""Bytes taken at once; what is more waits in the pipe."""
LINES_MAX = 100
"""The newest that are looked at."""
UNIT_MAX = 20


@dataclass(slots=True)
class Lines:
    """The complete lines of a pipe that does not block."""

    fd: int
    rest: bytes = b""

    def take(self) -> list[bytes]:
        """Those that came since the last take. One beyond the bound comes in pieces."""
        taken = 0
        while taken < READ_MAX and (chunk := self._chunk()):
            taken += len(chunk)
            self.rest += chunk
        *lines, self.rest = self.rest.split(b"\n")
        if len(self.rest) > LINE_MAX:
            lines, self.rest = [*lines, self.rest], b""
        return lines

    def _chunk(self) -> bytes:
        try:
            return os.read(self.fd, LINE_MAX)
        except BlockingIOError:
            return b""


def newest(lines: Sequence[bytes]) -> list[Reading]:
    """The last value of each name. Raises ProbeError if no line holds a number."""
    found: dict[str, Reading] = {}
    for line in lines[-LINES_MAX:]:
        found |= {reading.name: reading for reading in numbers(line)}
    if not found:
        shown = printable(lines[-1].decode(errors="replace").strip())
        raise ProbeError(f'"{shown}" is no JSON object of numbers: print {{"queue": 3}}')
    return list(found.values())


def numbers(line: bytes) -> list[Reading]:
    """The numbers of one line; none if it is no JSON object."""
    try:
        row = json.loads(line, parse_int=float) if len(line) <= LINE_MAX else None
    except (ValueError, RecursionError):
        return []
    if not isinstance(row, dict):
        return []
    unit = _unit(row)
    return [Reading(printable(name), unit, row[name]) for name in row if type(row[name]) is float]


def _unit(row: Mapping[str, object]) -> str:
    unit = row.get("unit")
    return printable(unit, UNIT_MAX) if isinstance(unit, str) else ""
