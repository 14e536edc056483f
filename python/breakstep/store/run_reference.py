"""Which run a user means: a path, `last`, `last-1`, an id, its beginning or its ending.

| text | run |
|---|---|
| a directory with a `result.json`, or that file | itself |
| `last`, `last-1` … | the newest of the history, the one before it |
| `20261130T233043Z-c656a7` | the run of that id |
| `20261130T2330`, `c656a7` | the only run whose id begins so, or ends so |

What exists as a path is taken for one; `./last` names a directory called `last`.
"""

import re
from difflib import get_close_matches
from pathlib import Path

from breakstep.model.errors import StoreError
from breakstep.model.record import Result
from breakstep.store.history import History, history
from breakstep.store.history_index import Index, index_file
from breakstep.store.history_record import Entry
from breakstep.store.result_json import read_result
from breakstep.store.run_directory import RESULT, runs_place

_LAST = re.compile(r"last(?:-(\d{1,9}))?")
SHOWN = 5


def run_path(text: str, place: Path | None = None) -> Path:
    """The directory or file of the run. Raises StoreError that says what there is instead."""
    path = Path(text)
    if _names_a_run(path):
        return path
    if "/" in text:
        raise StoreError(
            f"there is no run at {text}; name a run directory, its {RESULT}, or a run of the "
            "history: `breakstep runs` lists them"
        )
    where = runs_place() if place is None else place
    return Path(_meant(text, history(where, Index(index_file()))).path).parent


def referred(text: str) -> Result:
    """The result of the run that is meant. Raises StoreError."""
    return read_result(run_path(text))


def _names_a_run(path: Path) -> bool:
    try:
        return path.is_file() or (path / RESULT).is_file()
    except (OSError, ValueError):
        return False


def _meant(text: str, found: History) -> Entry:
    if not found.entries:
        raise StoreError(
            f"there is no run {text!r}: {found.place} holds none; name a run's directory, or make "
            "a run first"
        )
    if (last := _LAST.fullmatch(text)) is not None:
        return _nth_last(int(last[1] or 0), found)
    matching = [e for e in found.entries if e.id == text] or [
        e for e in found.entries if e.id.startswith(text) or e.id.endswith(text)
    ]
    if len(matching) == 1:
        return matching[0]
    raise StoreError(_unclear(text, matching) if matching else _unknown(text, found))


def _nth_last(back: int, found: History) -> Entry:
    if back >= len(found.entries):
        raise StoreError(f"last-{back}: {found.place} holds only {len(found.entries)} runs")
    return found.entries[-1 - back]


def _unclear(text: str, matching: list[Entry]) -> str:
    shown = ", ".join(entry.id for entry in matching[-SHOWN:])
    more = f" and {len(matching) - SHOWN} more" if len(matching) > SHOWN else ""
    return f"{text!r} may be any of {len(matching)} runs: {shown}{more}; write more of the id"


def _unknown(text: str, found: History) -> str:
    near = get_close_matches(text, [entry.id for entry in found.entries[-1000:]], 1)
    meant = f"did you mean {near[0]}? " if near else ""
    return (
        f"there is no run {text!r} in {found.place}, nor a directory of that name; {meant}"
        "`breakstep runs` lists them"
    )
