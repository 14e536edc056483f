"""`breakstep probe`: what probes need on the server's side."""

import typer

from breakstep.probe.node import PRELOAD

probe = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None)


@probe.callback()
def root() -> None:
    """What probes need on the server's side."""


@probe.command("node-preload")
def node_preload() -> None:
    """Print the path of the script that `node --require` needs for --probe node:HOST:PORT."""
    typer.echo(PRELOAD)
