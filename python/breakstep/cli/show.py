"""What a search shows when it is over."""

import sys
from pathlib import Path

from rich.console import Console

from breakstep.model.errors import StoreError
from breakstep.model.record import Result
from breakstep.report.conclusion import conclusion
from breakstep.report.table import steps_table
from breakstep.store.result_json import dumps

STANDARD_OUTPUT = "-"


def show(result: Result, console: Console, out: Path | None, *, table: bool) -> None:
    """The table of steps if asked for, the conclusion, and where the files are."""
    if table and result.steps:
        console.print(steps_table(result.steps, console))
    console.print(conclusion(result), markup=False, highlight=False)
    if out is not None and (out / "report.html").exists():
        console.print(f"\nreport: {out / 'report.html'}", markup=False, highlight=False)


def write_json(result: Result, to: str) -> None:
    """The result alone, to a file or to standard output. Raises StoreError."""
    text = dumps(result)
    if to == STANDARD_OUTPUT:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        Path(to).write_text(text, encoding="utf-8")
    except OSError as error:
        raise StoreError(f"cannot write {to}: {error.strerror}; choose another --json") from error
