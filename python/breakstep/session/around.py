"""What a run needs besides its plan."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from breakstep.report.progress import Progress
from breakstep.store.run_directory import new_run, runs_place

__all__ = ["Around", "default_out", "new_run"]


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


def default_out(run: str) -> Path:
    """Where a run's files go when the user names no directory."""
    return runs_place() / run
