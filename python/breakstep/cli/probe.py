"""`breakstep probe`: what probes need on the server's side."""

import typer

from breakstep.probe.node import PRELOAD

probe = typer.Typer(help="What probes need on the server's side.", no_args_is_help=True)


@probe.callback()
def root() -> None:
    """What probes need on the server's side."""


@probe.command("node-preload")
def node_preload() -> None:
    """Print the path of the script that `node --require` needs for --probe node:HOST:PORT."""
    typer.echo(PRELOAD)
