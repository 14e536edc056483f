"""What a run needs besides its plan."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from breakstep.report.progress import Progress
from breakstep.store.run_directory import RUNS, run_id


@dataclass(frozen=True, slots=True)
class Around:
    """What a run needs besides its plan.

    `run` is its name, `out` the directory for its files, None for none; `say` shows a line to
    the user, `stopping` says whether the user has had enough.
    """

    run: str
    out: Path | None
    progress: Progress
    say: Callable[[str], None]
    stopping: Callable[[], bool]


def new_run() -> str:
    """A name for a run: sorts by time, does not repeat."""
    return run_id(datetime.now(UTC), secrets.token_hex(3))


def default_out(run: str) -> Path:
    """Where a run's files go when the user names no directory."""
    return Path(RUNS) / run
