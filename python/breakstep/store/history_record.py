"""What the history knows of one run, from its `result.json`, without reading all of it again."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path
from typing import Any

from breakstep.model.errors import StoreError
from breakstep.model.units import NS_PER_S
from breakstep.store.format import check_format

SIZE_MOST = 64 * 1024 * 1024
TEXT_MOST = 500


@dataclass(frozen=True, slots=True)
class Stamp:
    """When a file was last changed and how large it is: the same stamp, the same file."""

    mtime_ns: int
    size: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One run. Rates are requests a second; `started_at` is UTC and sorts as text."""

    path: str
    stamp: Stamp
    id: str
    command: str
    started_at: str
    target: str
    status: str | None
    sustainable_per_s: float | None
    broken_per_s: float | None
    knee_per_s: float | None
    diagnosis: str | None
    trust: str | None
    slos: tuple[str, ...]
    cores: int | None


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that holds no result that we read, and why."""

    path: str
    why: str


def read_entry(path: str, stamp: Stamp) -> Entry | Unreadable:
    """The record of a run."""
    try:
        return _entry(path, stamp, _document(path, stamp))
    except StoreError as error:
        return Unreadable(path, str(error))
    except OSError as error:
        return Unreadable(path, error.strerror or str(error))
    except (ValueError, RecursionError):
        return Unreadable(path, "it is not JSON")


def _document(path: str, stamp: Stamp) -> Mapping[str, Any]:
    if stamp.size > SIZE_MOST:
        raise StoreError(f"it is larger than {SIZE_MOST >> 20} MB, which no result is")
    document = json.loads(Path(path).read_bytes())
    if not isinstance(document, dict):
        raise StoreError("it holds no JSON object")
    check_format(document.get("format"))
    return document


def _entry(path: str, stamp: Stamp, document: Mapping[str, Any]) -> Entry:
    plan, answer = _inside(document, "plan"), _inside(document, "answer")
    environment = _inside(document, "environment")
    base = _inside(plan, "base") or plan
    slos = plan.get("slos")
    return Entry(
        path=path,
        stamp=stamp,
        id=_text(document.get("id")) or Path(path).parent.name,
        command=_text(document.get("command")) or "?",
        started_at=_utc(environment.get("started_at"), stamp),
        target=_text(_inside(base, "target").get("url")) or "",
        # A gate looks for no breaking load: its verdict is what it found.
        status=_text(_inside(document, "check").get("verdict")) or _text(answer.get("status")),
        sustainable_per_s=_number(answer.get("sustainable_per_s")),
        broken_per_s=_number(answer.get("broken_per_s")),
        knee_per_s=_number(answer.get("knee_per_s")),
        diagnosis=_text(_inside(document, "diagnosis").get("kind")),
        trust=_text(_inside(document, "trust").get("verdict")),
        slos=tuple(str(slo)[:TEXT_MOST] for slo in slos[:100]) if isinstance(slos, list) else (),
        cores=_count(environment.get("cores")),
    )


def _inside(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = document.get(name)
    return found if isinstance(found, dict) else {}


def _text(value: object) -> str | None:
    return value[:TEXT_MOST] if isinstance(value, str) else None


def _number(value: object) -> float | None:
    fine = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    return float(value) if fine else None  # type: ignore[arg-type]


def _count(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _utc(value: object, stamp: Stamp) -> str:
    """The start of the run; where it does not say, when its result was written."""
    try:
        at = datetime.fromisoformat(str(value)).astimezone(UTC)
    except (ValueError, OverflowError):
        at = datetime.fromtimestamp(stamp.mtime_ns / NS_PER_S, UTC)
    return at.isoformat(timespec="milliseconds")
