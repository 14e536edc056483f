"""The index of the history: a SQLite file in the user's cache, for every place together.

It holds nothing that is not in the run directories. Whatever is wrong with it (damaged, locked,
from another version, on a disk that is full or read-only), the history is read without it.
"""

import json
import os
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from breakstep.store.history_record import Entry, Stamp

VERSION = 1
"""Of the records. An index of another version is made anew."""
WAIT_S = 0.5
"""For another process that is writing; then we do without."""
_TABLE = "CREATE TABLE IF NOT EXISTS runs (path TEXT PRIMARY KEY, record TEXT NOT NULL)"


def index_file() -> Path:
    """Where the index is: $XDG_CACHE_HOME, by default ~/.cache."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    home = Path(base) if os.path.isabs(base) else Path("~/.cache").expanduser()  # noqa: PTH117
    return home / "breakstep" / "history.sqlite"


class Index:
    """What is remembered of the runs below a place, by the path of the result."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def known(self, place: Path) -> dict[str, Entry]:
        """Everything remembered of this place; nothing where the index cannot be read."""
        found: dict[str, Entry] = {}
        if not self._file.exists():
            return found
        with self._forgiving(), self._open() as index:
            query = "SELECT path, record FROM runs WHERE path >= ? AND path < ?"
            for path, text in index.execute(query, _range(place)):
                found[path] = _entry(path, json.loads(text))
        return found

    def update(self, new: Mapping[str, Entry], gone: Collection[str]) -> None:
        """Remembers the new and forgets those that are gone."""
        with self._forgiving():
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._open() as index:
                index.execute("BEGIN IMMEDIATE")
                rows = [(path, _text(entry)) for path, entry in new.items()]
                index.executemany("INSERT OR REPLACE INTO runs VALUES (?, ?)", rows)
                index.executemany("DELETE FROM runs WHERE path = ?", [(path,) for path in gone])
                index.execute("COMMIT")

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        index = sqlite3.connect(self._file, timeout=WAIT_S, isolation_level=None)
        try:
            # A cache that is lost with the power is made anew: nobody has to wait for the disk.
            index.execute("PRAGMA synchronous = OFF")
            (version,) = index.execute("PRAGMA user_version").fetchone()
            if version != VERSION:
                index.executescript(
                    f"DROP TABLE IF EXISTS runs; {_TABLE}; PRAGMA user_version = {VERSION}"
                )
            yield index
        finally:
            index.close()

    @contextmanager
    def _forgiving(self) -> Iterator[None]:
        """A damaged index is thrown away; of one that is busy or out of reach nothing is known."""
        try:
            yield
        except (sqlite3.OperationalError, OSError):
            return
        except (sqlite3.Error, ValueError, KeyError, TypeError):
            with suppress(OSError):
                self._file.unlink()


def _range(place: Path) -> tuple[str, str]:
    """Every path below the place lies between these: `0` follows `/`."""
    root = os.path.abspath(place).rstrip("/")  # noqa: PTH100  resolves no links
    return f"{root}/", f"{root}0"


def _text(entry: Entry) -> str:
    values = asdict(entry)
    del values["path"]
    return json.dumps(values, ensure_ascii=False)


def _entry(path: str, values: Mapping[str, Any]) -> Entry:
    read = {"stamp": Stamp(**values["stamp"]), "slos": tuple(values["slos"])}
    return Entry(**{**values, **read, "path": path})
