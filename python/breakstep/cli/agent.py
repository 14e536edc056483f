"""`breakstep agent`: probes on the server's machine, their samples for a breakstep elsewhere."""

import json
import os
import sys
from dataclasses import asdict
from typing import Annotated, NoReturn

import typer

from breakstep.cli.agent_process import FLAGS_VARIABLE
from breakstep.plan.agent_flags import LISTEN, AgentFlags
from breakstep.probe.agent_endpoint import TOKEN_VARIABLE


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
        str | None,
        typer.Option(
            help=f"Holds the token; else {TOKEN_VARIABLE}, else one is made and shown.",
            metavar="FILE",
        ),
    ] = None,
    cert: Annotated[
        str | None, typer.Option(help="Certificate for TLS, PEM.", metavar="FILE")
    ] = None,
    key: Annotated[str | None, typer.Option(help="Its key, PEM.", metavar="FILE")] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="No TLS, though other machines reach the address.")
    ] = False,
) -> None:
    """Read probes on this machine and stream them to `--probe agent:HOST:PORT`, until interrupted.

    Whoever has the token may read what these probes say, and cannot ask for anything else.
    """
    _become(AgentFlags(tuple(probe or ()), listen, None, token_file, cert, key, plain))


def _become(flags: AgentFlags) -> NoReturn:
    """Replaces this process by one that has read no flags.

    What reads them takes twice the memory of the agent itself, and an agent is a guest. The flags
    travel in the environment: a password in one is seen by fewer there than on a command line.
    """
    environment = {**os.environ, FLAGS_VARIABLE: json.dumps(asdict(flags))}
    # -P: nothing that lies about in the current directory is taken for a module.
    program = [sys.executable, "-P", "-m", "breakstep.cli.agent_process"]
    os.execve(program[0], program, environment)  # noqa: S606 - no shell is wanted
