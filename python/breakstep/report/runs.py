"""The history as a table for a terminal, and as JSON. No more is loaded for it than it takes."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from breakstep.model.printable import printable
from breakstep.model.units import format_rate
from breakstep.store.history import History
from breakstep.store.history_record import Entry

FORMAT = "breakstep.runs/1"
NOTHING = "–"
TARGET_LONGEST = 48
_HEADINGS = ("run", "started", "verb", "target", "breaks", "first full", "trust")


def runs_text(history: History, shown: Sequence[Entry], selected: int) -> str:
    """The runs shown, newest last, how many there are besides, and what could not be read."""
    lines = _table([_HEADINGS, *(_row(entry) for entry in shown)]) if shown else []
    if not shown:
        every = len(history.entries)
        fits = f"None of the {every} runs in {{}} fits." if every else "No runs in {}."
        lines.append(fits.format(printable(str(history.place))))
    elif selected > len(shown):
        lines.append(f"The newest {len(shown)} of {selected}; --limit 0 shows them all.")
    lines += [
        f"Not readable: {printable(one.path)}: {printable(one.why)}." for one in history.unreadable
    ]
    return "\n".join(lines)


def runs_json(history: History, shown: Sequence[Entry]) -> str:
    """The same runs as a document of its own format."""
    document = {
        "format": FORMAT,
        "place": str(history.place),
        "runs": [_plain(entry) for entry in shown],
        "unreadable": [asdict(one) for one in history.unreadable],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _plain(entry: Entry) -> dict[str, object]:
    values = asdict(entry)
    del values["stamp"]
    return values


def started(text: object) -> str:
    """When a run was started, by the clock of this place; empty where that is not known."""
    try:
        return f"{datetime.fromisoformat(str(text)).astimezone():%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError):
        return ""


def _row(entry: Entry) -> tuple[str, ...]:
    return (
        printable(entry.id, 40),
        started(entry.started_at),
        printable(entry.command, 12),
        printable(entry.target, TARGET_LONGEST) or NOTHING,
        _breaks(entry),
        printable(entry.diagnosis or NOTHING, 24).replace("_", " "),
        printable(entry.trust or NOTHING, 12),
    )


def _breaks(entry: Entry) -> str:
    """Between which loads, or why that is not known."""
    held, broken = entry.sustainable_per_s, entry.broken_per_s
    if entry.status == "found" and held is not None and broken is not None:
        return f"{format_rate(held)} … {format_rate(broken)}/s"
    if entry.status == "above_ceiling" and held is not None:
        return f"above {format_rate(held)}/s"
    if entry.status == "below_floor" and broken is not None:
        return f"below {format_rate(broken)}/s"
    return printable(entry.status or NOTHING, 24)


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[k]) for row in rows) for k in range(len(_HEADINGS))]
    return [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
