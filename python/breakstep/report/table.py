"""The steps of a run as a table on a terminal: a row for each, and why those that did not pass."""

from collections.abc import Sequence

from rich import box
from rich.console import Console, Group, JustifyMethod, RenderableType
from rich.table import Table
from rich.text import Text

from breakstep.model.record import StepRecord, VerdictName
from breakstep.report.columns import COLUMNS, Column, reason

STYLES: dict[VerdictName, str] = {
    "pass": "green",
    "fail": "red",
    "undecided": "yellow",
    "invalid": "magenta",
}
UNBOUNDED = 10_000


def steps_table(steps: Sequence[StepRecord], console: Console) -> RenderableType:
    """The table, with as many columns as the console has room for."""
    columns, gap = list(COLUMNS), 1
    table = _table(steps, columns, gap)
    if _width(table, console) > console.width:
        gap = 0
        table = _table(steps, columns, gap)
    while _width(table, console) > console.width and any(column.spare for column in columns):
        columns.remove(max(columns, key=lambda column: column.spare))
        table = _table(steps, columns, gap)
    notes = (Text(says) for step in steps if (says := reason(step)) is not None)
    return Group(table, *notes)


def _width(table: Table, console: Console) -> int:
    """What the table would take if nothing held it back."""
    unbounded = console.options.update(max_width=UNBOUNDED)
    return console.measure(table, options=unbounded).maximum


def _table(steps: Sequence[StepRecord], columns: Sequence[Column], gap: int) -> Table:
    """The table with so many extra spaces between its columns."""
    table = Table(
        box=box.SIMPLE_HEAD,
        padding=(0, gap),
        show_edge=False,
        pad_edge=False,
        collapse_padding=True,
    )
    for column in columns:
        heading = f"{column.name}\n{column.unit}" if column.unit else column.name
        side: JustifyMethod = "left" if column.name == "verdict" else "right"
        table.add_column(heading, justify=side, no_wrap=True)
    for step in steps:
        *cells, verdict = (Text(column.cell(step)) for column in columns)
        verdict.stylize(STYLES[step.verdict.name])
        table.add_row(*cells, verdict)
    return table
