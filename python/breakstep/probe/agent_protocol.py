"""What an agent and its clients say to each other: lines, JSON after the first.

| who | line | when |
|---|---|---|
| client | `breakstep-agent/1 TOKEN` | first; without the right token nothing comes back |
| agent | `{"hello": HOST, "probes": [[LABEL, KIND], …]}` | once |
| agent | `{"refused": WHY}` | instead of the hello, then it closes |
| client | `{"ping": N}` | any time |
| agent | `{"pong": N, "received_s": T, "answered_s": T}` | at once, on the agent's clock |
| client | `{"start": true}` | once; samples and states come from then on |
| agent | `{"samples": LABEL, "rows": [[NAME, UNIT, AT_S, VALUE], …]}` | as they are taken |
| agent | `{"states": [[LABEL, FAILURES, SAYS], …]}` | every second |

There is nothing else that a client can say. Whatever an agent says is read here as what a stranger
sent: ValueError is all that comes of it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from breakstep.model.printable import printable
from breakstep.model.probe import ProbeKind
from breakstep.model.signal import Sample
from breakstep.plan.probes import GRAMMARS

NAME = "breakstep-agent"
VERSION = 1
DEFAULT_PORT = 7890
LINE_MAX = 1_048_576
"""Bytes of a line of the agent."""
REQUEST_MAX = 512
"""Bytes of a line of a client."""
NAME_MAX = 500
"""Characters of a signal's name."""
ROWS_MAX = 80
"""Of one line, so that even the longest names fit into it."""
PROBES_MAX = 64
COUNT_MAX = 10**9

_HUGE = 1e300
_KINDS = frozenset(GRAMMARS) - {"agent", "auto"}


@dataclass(frozen=True, slots=True)
class Hello:
    """Who answers, and the kind of each of its probes by label."""

    host: str
    kinds: Mapping[str, ProbeKind]


@dataclass(frozen=True, slots=True)
class Refused:
    """The token was right, and still the agent will not serve."""

    why: str


@dataclass(frozen=True, slots=True)
class Pong:
    """The answer to ping `number`: when that came and when this left, on the agent's clock."""

    number: int
    received_s: float
    answered_s: float


@dataclass(frozen=True, slots=True)
class Row:
    """One value of a signal at an instant of the agent's clock; both are finite."""

    name: str
    unit: str
    at_s: float
    value: float


@dataclass(frozen=True, slots=True)
class Rows:
    """Values of one probe, and how many more made no sense."""

    label: str
    rows: tuple[Row, ...]
    senseless: int


@dataclass(frozen=True, slots=True)
class Health:
    """How a probe of the agent fares."""

    label: str
    failures: int
    says: str | None


@dataclass(frozen=True, slots=True)
class States:
    """How all of them fare."""

    probes: tuple[Health, ...]


Message = Hello | Refused | Pong | Rows | States


def greeting(token: str) -> bytes:
    """The first line of a client."""
    return f"{NAME}/{VERSION} {token}\n".encode()


def samples_lines(label: str, samples: Sequence[Sample]) -> Iterator[bytes]:
    """The samples of one probe as they are sent."""
    for first in range(0, len(samples), ROWS_MAX):
        # A name that is too long stays so: the client counts what it cannot take.
        rows = [
            [sample.signal.name[: NAME_MAX + 1], sample.signal.unit, sample.at_s, sample.value]
            for sample in samples[first : first + ROWS_MAX]
        ]
        yield line({"samples": label, "rows": rows})


def line(message: Mapping[str, Any]) -> bytes:
    """A message as it is sent."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def parse(text: bytes) -> Message:
    """What a line of an agent means. Raises ValueError."""
    match document(text):
        case {"samples": str(label), "rows": list(rows)}:
            return _rows(label, rows)
        case {"pong": int(number), "received_s": received, "answered_s": answered}:
            return Pong(number, _finite(received), _finite(answered))
        case {"states": list(states)}:
            return States(tuple(_health(state) for state in states[:PROBES_MAX]))
        case {"hello": str(host), "probes": list(probes)}:
            return Hello(printable(host), dict(_probes(probes[:PROBES_MAX])))
        case {"refused": str(why)}:
            return Refused(printable(why))
    raise ValueError("no message of an agent")


def document(text: bytes) -> object:
    """A line as JSON. Raises ValueError."""
    try:
        return cast("object", json.loads(text))
    except RecursionError:
        raise ValueError("nested too deep") from None


def _probes(given: Sequence[object]) -> Iterator[tuple[str, ProbeKind]]:
    """Those of a kind that is known here; a newer agent may have more."""
    for probe in given:
        match probe:
            case [str(label), str(kind)] if kind in _KINDS:
                yield printable(label), kind


def _health(given: object) -> Health:
    match given:
        case [str(label), int(failures), str() | None as says]:
            return Health(
                label=printable(label),
                failures=min(max(failures, 0), COUNT_MAX),
                says=None if says is None else printable(says),
            )
    raise ValueError("no state of a probe")


def _rows(label: str, given: Sequence[object]) -> Rows:
    rows = tuple(row for row in map(_row, given) if row is not None)
    return Rows(printable(label), rows, len(given) - len(rows))


def _row(given: object) -> Row | None:
    match given:
        case [str(name), str(unit), at_s, value] if _nameable(name) and printable(unit) == unit:
            try:
                return Row(name, unit, _finite(at_s), _finite(value))
            except ValueError:
                return None
    return None


def _nameable(name: str) -> bool:
    return 0 < len(name) <= NAME_MAX and name.isprintable()


def _finite(given: object) -> float:
    match given:
        case bool():
            pass
        case int() | float() if -_HUGE < given < _HUGE:
            return float(given)
    raise ValueError("no finite number")
