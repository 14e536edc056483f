"""The program `breakstep`: its verbs, each in a file of its own."""

from typing import Annotated

import typer

from breakstep import __version__
from breakstep.cli.agent import agent
from breakstep.cli.demo import demo
from breakstep.cli.doctor import doctor
from breakstep.cli.find import find
from breakstep.cli.probe import probe
from breakstep.cli.report import report
from breakstep.cli.sweep import sweep
from breakstep.cli.target import target

app = typer.Typer(
    name="breakstep",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command()(find)
app.command()(sweep)
app.command()(report)
app.command()(doctor)
app.command()(agent)
app.command()(target)
app.command()(demo)
app.add_typer(probe, name="probe")


def _version(wanted: bool) -> None:  # noqa: FBT001  typer calls it so
    if wanted:
        typer.echo(f"breakstep {__version__}")
        raise typer.Exit


@app.callback()
def root(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Find the load at which a service breaks, and say why."""


def main() -> None:
    """Runs the program."""
    app()
