"""`breakstep agent`: probes on the server's machine, their samples for a breakstep elsewhere."""

import os
from pathlib import Path
from typing import Annotated

import typer

from breakstep.cli.exits import reported
from breakstep.plan.agent_flags import LISTEN, AgentFlags, AgentPlan, agent_from_flags
from breakstep.probe.agent_endpoint import TOKEN_VARIABLE
from breakstep.probe.agent_run import run_agent


def agent(
    *,
    probe: Annotated[
        list[str] | None,
        typer.Option(help="What to read here: host, process:nginx, …; repeatable.", metavar="SPEC"),
    ] = None,
    listen: Annotated[
        str, typer.Option(help="Where to listen; port 0 is any.", metavar="HOST:PORT")
    ] = LISTEN,
    token_file: Annotated[
        Path | None,
        typer.Option(
            help=f"Holds the token; else {TOKEN_VARIABLE}, else one is made and shown.",
            metavar="FILE",
        ),
    ] = None,
    cert: Annotated[
        Path | None, typer.Option(help="Certificate for TLS, PEM.", metavar="FILE")
    ] = None,
    key: Annotated[Path | None, typer.Option(help="Its key, PEM.", metavar="FILE")] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="No TLS, though other machines reach the address.")
    ] = False,
) -> None:
    """Read probes on this machine and stream them to `--probe agent:HOST:PORT`, until interrupted.

    Whoever has the token may read what these probes say, and cannot ask for anything else.
    """
    flags = AgentFlags(
        probe=probe or (),
        listen=listen,
        token=os.environ.get(TOKEN_VARIABLE) or None,
        token_file=token_file,
        cert=cert,
        key=key,
        plain=plain,
    )
    with reported():
        plan = agent_from_flags(flags)
        run_agent(plan, lambda address: _ready(plan, address), _say)


def _ready(plan: AgentPlan, address: str) -> None:
    if plan.token_made:
        _say(f"token: {plan.token}")
    typer.echo(f"agent listening on {address}")


def _say(text: str) -> None:
    typer.echo(text, err=True)
