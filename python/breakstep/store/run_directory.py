"""The directory of one run: made once, never written over, every file whole or absent."""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from breakstep.model.errors import StoreError

RESULT = "result.json"
INTERVALS = "intervals.csv"
SIGNALS = "signals.csv"
HISTOGRAMS = "histograms.hlog"
REPORT = "report.html"
FILES = (RESULT, INTERVALS, SIGNALS, HISTOGRAMS, REPORT)
RUNS = Path("breakstep-runs")

_ELSEWHERE = "write elsewhere with --out DIR"
_REMEDIES = {
    errno.ENOSPC: f"free some space, or {_ELSEWHERE}",
    errno.EDQUOT: f"free some of your quota, or {_ELSEWHERE}",
    errno.EACCES: _ELSEWHERE,
    errno.EPERM: _ELSEWHERE,
    errno.EROFS: _ELSEWHERE,
    errno.ENOTDIR: f"a part of that path is a file; {_ELSEWHERE}",
    errno.EEXIST: f"something of that name is there already; {_ELSEWHERE}",
}


def run_id(now: datetime, token: str) -> str:
    """A name that sorts by time and does not repeat.

    >>> run_id(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), "1a2b3c")
    '20260102T030405Z-1a2b3c'
    """
    return f"{now.astimezone(UTC):%Y%m%dT%H%M%SZ}-{token}"


def new_run() -> str:
    """A name for a run: sorts by time, does not repeat."""
    return run_id(datetime.now(UTC), secrets.token_hex(3))


def runs_place() -> Path:
    """Where runs go and are looked for: $BREAKSTEP_RUNS, by default `breakstep-runs` here."""
    return Path(os.environ.get("BREAKSTEP_RUNS") or RUNS)


@contextmanager
def storing(path: Path) -> Iterator[None]:
    """Turns what the system says about this path into a StoreError with the remedy."""
    try:
        yield
    except OSError as error:
        remedy = _REMEDIES.get(error.errno or 0, _ELSEWHERE)
        raise StoreError(f"cannot write {path}: {error.strerror or error}; {remedy}") from error


@dataclass(frozen=True, slots=True)
class RunDirectory:
    """Where the files of one run go."""

    path: Path

    @classmethod
    def create(cls, path: Path) -> "RunDirectory":
        """Makes the directory. Raises StoreError if it cannot be, or holds another run."""
        with storing(path):
            path.mkdir(parents=True, exist_ok=True)
            held = [name for name in FILES if os.path.lexists(path / name)]
        if held:
            raise StoreError(
                f"{path} holds another run ({', '.join(held)}): "
                "choose another --out, or move that run away"
            )
        return cls(path)

    def open_new(self, name: str) -> TextIO:
        """A new text file to append to; it must not exist yet."""
        path = self.path / name
        with storing(path):
            return path.open("x", encoding="utf-8", newline="")

    def write(self, name: str, text: str) -> Path:
        """Writes a file so that a reader sees all of it or what was there before."""
        path = self.path / name
        part = self.path / f".{name}.part"
        with storing(path):
            try:
                with part.open("w", encoding="utf-8", newline="") as file:
                    file.write(text)
                    file.flush()
                    os.fsync(file.fileno())
                part.replace(path)
            finally:
                part.unlink(missing_ok=True)
        return path
