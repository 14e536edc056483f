"""The CSV of HAProxy's statistics as readings."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from breakstep.model.signal import labelled
from breakstep.probe.reading import Reading

Row = Mapping[str, str]

_NEEDED = ("pxname", "svname", "scur", "status", "type")
_FRONTEND, _BACKEND, _SERVER = "0", "1", "2"
# The totals come first: they stay when there are more series than are kept.
_ORDER = (_FRONTEND, _BACKEND, _SERVER)
_TAKES_REQUESTS = ("OPEN", "UP", "no check")
_LARGEST = 2**63
# HAProxy allows no other character in a name.
_NO_NAME = re.compile(r"[^A-Za-z0-9_.:-]")
_NAME_MAX = 80


@dataclass(frozen=True, slots=True)
class Column:
    """A column and the signal it becomes."""

    name: str
    column: str
    unit: str
    counter: bool = False


_COLUMNS = (
    Column("sessions", "scur", "count"),
    Column("queue", "qcur", "count"),
    Column("queue_limit", "qlimit", "count"),
    Column("errors_connection", "econ", "1/s", counter=True),
    Column("errors_response", "eresp", "1/s", counter=True),
    Column("responses_5xx", "hrsp_5xx", "1/s", counter=True),
    Column("queue_time", "qtime", "ms"),
    Column("connect_time", "ctime", "ms"),
    Column("response_time", "rtime", "ms"),
)
_SESSIONS_LIMIT = Column("sessions_limit", "slim", "count")
_REQUESTS = Column("requests", "req_tot", "1/s", counter=True)
_SESSIONS_TOTAL = Column("requests", "stot", "1/s", counter=True)


def readings_of(body: bytes) -> Sequence[Reading]:
    """What the statistics say. Raises ValueError when they are none."""
    rows = _rows(body.decode(errors="replace"))
    return [
        reading
        for kind in _ORDER
        for row in rows
        if row["type"] == kind
        for reading in _readings(row)
    ]


def _rows(text: str) -> Sequence[Row]:
    if not text.startswith("# "):
        raise ValueError("no CSV with a line of names")
    lines = csv.reader(text[2:].splitlines(), strict=True)
    try:
        names = next(lines, [])
        rows = [dict(zip(names, line, strict=False)) for line in lines if line]
    except csv.Error as error:
        raise ValueError("no CSV") from error
    if not set(_NEEDED) <= set(names):
        raise ValueError("columns are missing")
    if any(not set(_NEEDED) <= row.keys() for row in rows):
        raise ValueError("a line is cut short")
    return rows


def _readings(row: Row) -> Iterator[Reading]:
    labels = {"proxy": _name(row["pxname"]), "server": _name(row["svname"])}
    for column in (*_COLUMNS, *_by_kind(row)):
        value = _count(row.get(column.column, ""))
        if value is not None:
            name = labelled(column.name, **labels)
            yield Reading(name, column.unit, value, counter=column.counter)
    up = row["status"].startswith(_TAKES_REQUESTS)
    yield Reading(labelled("up", **labels), "share", float(up))


def _by_kind(row: Row) -> Iterator[Column]:
    # Of a backend the column is `fullconn`, which limits nothing.
    if row["type"] != _BACKEND:
        yield _SESSIONS_LIMIT
    # Where requests are not counted a session is one: servers have a session for each.
    yield _REQUESTS if row.get("req_tot") else _SESSIONS_TOTAL


def _count(text: str) -> int | None:
    """The number in a cell, None for an empty one. Raises ValueError."""
    if not text:
        return None
    value = int(text)
    if not 0 <= value < _LARGEST:
        raise ValueError("a number is out of range")
    return value


def _name(text: str) -> str:
    return _NO_NAME.sub("_", text[:_NAME_MAX])
