"""`breakstep report`: a stored run once more, in any of its forms, and why it broke."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from io import StringIO
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

import typer
from rich.console import Console

from breakstep.cli.exits import reported
from breakstep.cli.options import OUTPUT, option
from breakstep.cli.output import write_text
from breakstep.cli.show import show, show_sweep
from breakstep.model.record import Result
from breakstep.report.adr import adr
from breakstep.report.around_break import around_break
from breakstep.report.check_html import render_check_html
from breakstep.report.finding import finding_of
from breakstep.report.html import render_html
from breakstep.report.interfere_html import render_interfere_html
from breakstep.report.junit import junit_xml
from breakstep.report.markdown import markdown
from breakstep.report.sweep_html import render_sweep_html
from breakstep.report.told import is_search, told
from breakstep.report.why import why_text
from breakstep.store import check_json, interfere_json, sweep_json
from breakstep.store.intervals_csv import read_intervals
from breakstep.store.recorded import read_recorded
from breakstep.store.result_json import dumps, read_result
from breakstep.store.run_directory import INTERVALS, SIGNALS
from breakstep.store.run_reference import run_path
from breakstep.store.signals_csv import read_signals


class Format(StrEnum):
    """What a report may be written as."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"
    MARKDOWN = "markdown"
    JUNIT = "junit"
    ADR = "adr"


WRITERS: Mapping[Format, Callable[[Result], str]] = MappingProxyType(
    {
        Format.JSON: dumps,
        Format.MARKDOWN: markdown,
        Format.JUNIT: junit_xml,
        Format.ADR: adr,
    }
)
"""The forms that need nothing but the result."""


TEXT_WIDTH = 160
"""Of a table in a file, where no terminal says how wide it is."""
Run = Annotated[
    str,
    typer.Argument(
        help="A run's directory or result.json; last, last-1; a run's id or the end of it.",
        show_default=False,
    ),
]


def report(
    run: Run,
    *,
    format_: Annotated[Format, option(OUTPUT, "What to write it as.", "--format")] = Format.TEXT,
    why: Annotated[
        bool, option(OUTPUT, "The reasoning behind what broke first, and the seconds around it.")
    ] = False,
    out: Annotated[
        Path | None, option(OUTPUT, "A file for it, not standard output.", metavar="FILE")
    ] = None,
) -> None:
    """Show a stored run again: to standard output, or to a file."""
    with reported():
        path = run_path(run)
        result = read_result(path)
        if format_ is Format.TEXT and out is None:
            _show(result, path, Console(highlight=False), why=why)
            return
        text = _written(result, path, format_, why=why)
        if out is None:
            typer.echo(text, nl=False)
        else:
            write_text(text, out, "--out")


def _written(result: Result, run: Path, format_: Format, *, why: bool) -> str:
    if format_ is Format.HTML:
        return _html(result, run)
    if format_ in WRITERS:
        return WRITERS[format_](result)
    text = StringIO()
    _show(result, run, Console(file=text, width=TEXT_WIDTH, highlight=False), why=why)
    return text.getvalue()


def _show(result: Result, run: Path, console: Console, *, why: bool) -> None:
    if sweep_json.SECTION in result.sections:
        show_sweep(result, console, None, tables=True)
    elif not is_search(result):
        console.print(told(result), markup=False, soft_wrap=True)
    elif not why:
        show(result, console, None, table=True)
    else:
        finding = finding_of(result)
        reasoning = "" if finding is None else why_text(finding)
        parts = [part for part in (reasoning, _seconds_around(result, run)) if part]
        text = "\n\n".join(parts) or "Nothing broke in this run."
        console.print(text, markup=False, soft_wrap=True)


def _html(result: Result, run: Path) -> str:
    if sweep_json.SECTION in result.sections:
        return render_sweep_html(result, sweep_json.sweep_of(result))
    if check_json.SECTION in result.sections:
        return render_check_html(result, read_recorded(run))
    if interfere_json.SECTION in result.sections:
        return render_interfere_html(result)
    return render_html(result, read_recorded(run))


def _seconds_around(result: Result, run: Path) -> str:
    """Empty where the run kept no seconds."""
    if not (run / INTERVALS).exists() or not (run / SIGNALS).exists():
        return ""
    return around_break(result, read_intervals(run / INTERVALS), read_signals(run / SIGNALS))
