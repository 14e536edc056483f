"""The table of steps."""

import io
from collections.abc import Sequence

import pytest
from golden import assert_golden
from results import staircase
from rich.console import Console

from breakstep.model.record import StepRecord
from breakstep.report.table import steps_table


def shown(steps: Sequence[StepRecord], width: int) -> str:
    """The table as plain text."""
    console = Console(file=io.StringIO(), width=width)
    with console.capture() as capture:
        console.print(steps_table(steps, console))
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"


@pytest.mark.parametrize("width", [140, 100, 60])
def test_the_table_reads_well_at_any_width(width: int) -> None:
    """A hundred columns hold everything; a narrow terminal drops what matters least."""
    assert_golden(f"table-{width}.txt", shown(staircase(), width))


@pytest.mark.parametrize("width", [40, 60, 80, 100, 140])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    """Nothing wraps or is cut off with an ellipsis."""
    text = shown(staircase(), width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text


def test_no_steps_make_an_empty_table() -> None:
    """An interrupted first step leaves a heading and no row."""
    assert shown([], 100).splitlines()[0].startswith("offered")
