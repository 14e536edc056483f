"""The program `breakstep`: its verbs, each in a file of its own, loaded when it is asked for."""

from importlib import import_module
from typing import Annotated

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from breakstep import __version__

VERBS = (
    *("find", "init", "check", "sweep", "interfere", "report", "runs", "compare", "plan", "doctor"),
    *("agent", "probe", "target", "lab", "demo"),
)
"""In the order of the help; each is `breakstep.cli.VERB.VERB`, a function or a Typer of more."""


class Verbs(TyperGroup):
    """Loads a verb's module, and what that imports, only for who uses it."""

    def list_commands(self, _context: typer.Context) -> list[str]:  # type: ignore[override]
        """All of them."""
        return list(VERBS)

    def get_command(self, _context: typer.Context, name: str) -> TyperCommand | None:  # type: ignore[override]
        """The verb, or None for the error message of an unknown one."""
        if name not in VERBS:
            return None
        verb = getattr(import_module(f"breakstep.cli.{name}"), name)
        return get_command(verb if isinstance(verb, typer.Typer) else _alone(verb, name))  # type: ignore[return-value]


app = typer.Typer(
    name="breakstep",
    cls=Verbs,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _alone(verb: object, name: str) -> typer.Typer:
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    single.command(name)(verb)  # type: ignore[type-var]
    return single


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
