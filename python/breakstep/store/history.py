"""The history: the runs below a directory, each as a short record, newest last.

The run directories are the truth. An index over them, a cache that may be deleted at any time,
keeps what each `result.json` says together with its time and size; only files that are new or
changed are read, and those that could not be read are tried again.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG

from breakstep.model.errors import StoreError
from breakstep.store.history_index import Index
from breakstep.store.history_record import Entry, Stamp, Unreadable, read_entry
from breakstep.store.run_directory import RESULT

DEPTH = 3
"""So far below the directory runs are looked for."""
PLACES_MOST = 100_000


@dataclass(frozen=True, slots=True)
class History:
    """The runs of a place by the time they were started, and what could not be read."""

    place: Path
    entries: tuple[Entry, ...]
    unreadable: tuple[Unreadable, ...]
    read: int
    """The files that had to be read: none if nothing changed."""


def history(place: Path, index: Index) -> History:
    """The runs below a directory; an empty history where there is none. Raises StoreError."""
    found = dict(_results(place))
    known = index.known(place)
    fresh = {path: known[path] for path, stamp in found.items() if _same(known, path, stamp)}
    read = [read_entry(path, found[path]) for path in sorted(found.keys() - fresh.keys())]
    new = {entry.path: entry for entry in read if isinstance(entry, Entry)}
    gone = known.keys() - found.keys()
    if new or gone:
        index.update(new, gone)
    entries = sorted((*fresh.values(), *new.values()), key=_by_time)
    unreadable = tuple(one for one in read if isinstance(one, Unreadable))
    return History(place, tuple(entries), unreadable, len(read))


def _by_time(entry: Entry) -> tuple[str, str]:
    return entry.started_at, entry.id


def _same(known: Mapping[str, Entry], path: str, stamp: Stamp) -> bool:
    return path in known and known[path].stamp == stamp


def _results(place: Path, depth: int = DEPTH) -> Iterator[tuple[str, Stamp]]:
    """Every result below a directory with its time and size; links are not followed."""
    try:
        with os.scandir(os.path.abspath(place)) as children:  # noqa: PTH100  resolves no links
            names = [child.path for child in children if child.is_dir(follow_symlinks=False)]
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"cannot list {place}: {error.strerror or error}") from error
    for name in names[:PLACES_MOST]:
        stamp = _stamp(f"{name}/{RESULT}")
        if stamp is not None:
            yield f"{name}/{RESULT}", stamp
        elif depth > 1:
            yield from _below(Path(name), depth - 1)


def _stamp(file: str) -> Stamp | None:
    """None where there is no such file, or something else of that name."""
    try:
        seen = os.stat(file, follow_symlinks=False)  # noqa: PTH116  a thousand of them
    except OSError:
        return None
    return Stamp(seen.st_mtime_ns, seen.st_size) if S_ISREG(seen.st_mode) else None


def _below(place: Path, depth: int) -> Iterator[tuple[str, Stamp]]:
    """The same of a directory that may be nobody's business."""
    try:
        yield from _results(place, depth)
    except StoreError:
        return
