"""`breakstep report`: a stored run once more, as text, JSON or HTML, and why it broke."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from breakstep.cli.exits import reported
from breakstep.cli.options import OUTPUT, option
from breakstep.cli.show import show, show_sweep
from breakstep.model.record import Result
from breakstep.report.around_break import around_break
from breakstep.report.finding import finding_of
from breakstep.report.html import render_html
from breakstep.report.sweep_html import render_sweep_html
from breakstep.report.why import why_text
from breakstep.store import sweep_json
from breakstep.store.intervals_csv import read_intervals
from breakstep.store.recorded import read_recorded
from breakstep.store.result_json import dumps, read_result
from breakstep.store.run_directory import INTERVALS, SIGNALS
from breakstep.store.signals_csv import read_signals


class Format(StrEnum):
    """What a report may be written as."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"


Run = Annotated[
    Path, typer.Argument(help="A run's directory, or its result.json.", show_default=False)
]


def report(
    run: Run,
    *,
    format_: Annotated[Format, option(OUTPUT, "text, json or html.", "--format")] = Format.TEXT,
    why: Annotated[
        bool, option(OUTPUT, "The reasoning behind what broke first, and the seconds around it.")
    ] = False,
) -> None:
    """Show a stored run again: to standard output."""
    with reported():
        result = read_result(run)
        if format_ is Format.JSON:
            typer.echo(dumps(result), nl=False)
        elif format_ is Format.HTML:
            typer.echo(_html(result, run), nl=False)
        else:
            _show(result, run, why=why)


def _show(result: Result, run: Path, *, why: bool) -> None:
    console = Console(highlight=False)
    if sweep_json.SECTION in result.sections:
        show_sweep(result, console, None, tables=True)
        return
    if not why:
        show(result, console, None, table=True)
        return
    finding = finding_of(result)
    reasoning = "" if finding is None else why_text(finding)
    parts = [reasoning, _seconds_around(result, run)]
    typer.echo("\n\n".join(part for part in parts if part) or "Nothing broke in this run.")


def _html(result: Result, run: Path) -> str:
    if sweep_json.SECTION in result.sections:
        return render_sweep_html(result, sweep_json.sweep_of(result))
    return render_html(result, read_recorded(run))


def _seconds_around(result: Result, run: Path) -> str:
    """Empty where the run kept no seconds."""
    if not (run / INTERVALS).exists() or not (run / SIGNALS).exists():
        return ""
    return around_break(result, read_intervals(run / INTERVALS), read_signals(run / SIGNALS))
