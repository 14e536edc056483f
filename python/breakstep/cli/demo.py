"""`breakstep demo`: a service with a known breaking point, found."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated
from urllib.request import urlopen

import typer
from rich.console import Console

from breakstep.cli.exits import exit_code, reported
from breakstep.cli.find import search
from breakstep.model.errors import TargetError
from breakstep.model.units import format_rate
from breakstep.plan.flags import Flags, plan_from_flags
from breakstep.session.around import default_out, new_run

SERVERS, SERVICE = 8, "20ms"
SLO = "p95<50ms"
RATES = "200,300,360,380,390,395,400,405,410,420,440"


def demo(
    json_: Annotated[
        str | None,
        typer.Option(
            "--json", metavar="FILE", help="The result, to FILE or - for standard output."
        ),
    ] = None,
) -> None:
    """Start a service with a known breaking point, find it, show truth beside answer."""
    console = Console(stderr=json_ == "-", highlight=False)
    with reported(), _target() as url:
        with urlopen(f"{url}/truth", timeout=5) as response:  # noqa: S310  our own server
            capacity = json.load(response)["capacity_per_s"]
        console.print(
            f"A model service with {SERVERS} servers that each need {SERVICE} a request.\n"
            f"Truth: it carries {format_rate(capacity)}/s and no more. Its {SLO} is in danger from "
            "there on.\n"
        )
        plan = plan_from_flags(
            Flags(url=url, slo=(SLO,), steps=RATES, arrivals="uniform", hold="3s", warmup="1s")
        )
        run = new_run()
        result = search(plan, run, default_out(run), json=json_, quiet=False)
    found = result.answer
    if found.sustainable_per_s is not None and found.broken_per_s is not None:
        console.print(
            f"\ntruth  {format_rate(capacity)}/s\n"
            f"answer held {format_rate(found.sustainable_per_s)}/s, "
            f"broke at {format_rate(found.broken_per_s)}/s"
        )
    raise typer.Exit(exit_code(result))


@contextmanager
def _target() -> Iterator[str]:
    """The model server in a process of its own, so that it does not share our interpreter."""
    command = [sys.executable, "-m", "breakstep", "target"]
    command += ["--servers", str(SERVERS), "--service", f"constant:{SERVICE}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603
        try:
            first = server.stdout.readline() if server.stdout else ""
            if "listening on " not in first:
                raise TargetError("the demo's own server did not start; see the lines above")
            yield first.strip().removeprefix("listening on ")
        finally:
            server.terminate()
