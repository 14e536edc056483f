"""Exit codes, and errors as people see them."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from breakstep.model.errors import BreakstepError, PlanError
from breakstep.model.record import Result

ANSWERED = 0
FAILED = 1
USAGE = 2
NO_ANSWER = 3
MISSED = 99
"""An SLO was missed in a gate, or a truth in a lab."""
INTERRUPTED = 130

_ANSWERS = ("found", "below_floor", "above_ceiling")


@contextmanager
def reported() -> Iterator[None]:
    """Turns an error of ours into lines on standard error and the exit code that fits."""
    try:
        yield
    except PlanError as error:
        _say(error.faults)
        sys.exit(USAGE)
    except BreakstepError as error:
        _say((str(error),))
        sys.exit(FAILED)


def exit_code(result: Result) -> int:
    """The exit code of a search: 0 with an answer, 3 without a trustworthy one, 130 interrupted."""
    if result.runs and result.runs[-1].stop_reason == "interrupted":
        return INTERRUPTED
    return ANSWERED if result.answer.status in _ANSWERS else NO_ANSWER


def _say(faults: tuple[str, ...]) -> None:
    for fault in faults:
        print(f"error: {fault}", file=sys.stderr)  # noqa: T201
