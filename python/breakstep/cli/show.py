"""What a search or a sweep shows when it is over."""

from pathlib import Path

from rich.console import Console

from breakstep.cli.output import write_out
from breakstep.model.record import Result
from breakstep.report.conclusion import conclusion
from breakstep.report.requests import requests_table, telling_step
from breakstep.report.sweep import comparison_table, levels_table
from breakstep.report.sweep import conclusion as sweep_conclusion
from breakstep.report.table import steps_table
from breakstep.store.result_json import dumps
from breakstep.store.sweep_json import sweep_of


def show(result: Result, console: Console, out: Path | None, *, table: bool) -> None:
    """The tables if asked for, the conclusion, and where the files are."""
    if table and result.steps:
        console.print(steps_table(result.steps, console))
        if (telling := telling_step(result.steps)) is not None:
            console.print()
            console.print(requests_table(telling))
    console.print(conclusion(result), markup=False, highlight=False)
    _where(console, out)


def show_sweep(result: Result, console: Console, out: Path | None, *, tables: bool) -> None:
    """The tables of a sweep if asked for, its conclusion, and where the files are."""
    found = sweep_of(result)
    if tables and found.levels:
        console.print()
        console.print(levels_table(found, console))
        if found.compare_open is not None:
            console.print(comparison_table(found.compare_open))
    console.print(sweep_conclusion(result, found), markup=False, highlight=False)
    _where(console, out)


def _where(console: Console, out: Path | None) -> None:
    if out is not None and (out / "report.html").exists():
        console.print(f"\nreport: {out / 'report.html'}", markup=False, highlight=False)


def write_json(result: Result, to: str) -> None:
    """The result alone, to a file or to standard output. Raises StoreError."""
    write_out(dumps(result), to, "--json")
