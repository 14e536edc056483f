"""`breakstep init`: a load-model file to begin with, or the schema of such files."""

import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from breakstep.cli.exits import reported
from breakstep.cli.options import OUTPUT, option
from breakstep.model.errors import PlanError, StoreError
from breakstep.plan.example import example
from breakstep.plan.schema import schema_text

FILE = "breakstep.yaml"
_VARIABLE = re.compile(r"\$\{(TARGET_\w+)\}")


def init(
    url: Annotated[
        str | None, typer.Argument(help="http://HOST:PORT/path or https://…", show_default=False)
    ] = None,
    *,
    out: Annotated[
        Path | None, option(OUTPUT, f"The file; {FILE}, or standard output.", metavar="FILE")
    ] = None,
    schema: Annotated[
        bool, option(OUTPUT, "The JSON Schema of such files instead, for editors.", "--schema")
    ] = False,
) -> None:
    """Write a load-model file for a URL, with comments."""
    with reported():
        if schema:
            _write_schema(out)
        else:
            _write_example(url, out or Path(FILE))


def _write_schema(out: Path | None) -> None:
    if out is None:
        sys.stdout.write(schema_text())
    else:
        _write_new(out, schema_text())


def _write_example(url: str | None, out: Path) -> None:
    if url is None:
        raise PlanError(["URL: whom shall the file be for? Write breakstep init http://HOST:PORT/"])
    try:
        text = example(url)
    except ValueError as error:
        raise PlanError([f"URL: {error}"]) from error
    _write_new(out, text)
    typer.echo(f"{out} is written: `breakstep find {out}` runs it", err=True)
    if names := sorted(set(_VARIABLE.findall(text))):
        typer.echo(f"secrets of the URL are not in it: export {' '.join(names)}", err=True)
    typer.echo(
        "for completion in editors: breakstep init --schema --out breakstep.schema.json", err=True
    )


def _write_new(out: Path, text: str) -> None:
    """Raises StoreError; a file that is there is left alone."""
    try:
        with out.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise StoreError(f"{out} is there already: name another file with --out") from error
    except OSError as error:
        raise StoreError(f"cannot write {out}: {error.strerror}; name another --out") from error
