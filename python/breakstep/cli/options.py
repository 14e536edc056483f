"""The flags that several commands share, each with its help."""

from pathlib import Path
from typing import Annotated

import typer
from typer.models import OptionInfo

LOAD, JUDGING, REQUEST = "Load", "Judging", "Request"
CONNECTION, SERVER, GENERATOR, OUTPUT = "Connection", "Server", "Generator", "Output"


def option(panel: str, text: str, *names: str, metavar: str | None = None) -> OptionInfo:
    """A flag with its help, under a heading of `--help`."""
    made: OptionInfo = typer.Option(*names, help=text, rich_help_panel=panel, metavar=metavar)
    return made


Url = Annotated[str, typer.Argument(help="http://HOST:PORT/path or https://…", show_default=False)]
Source = Annotated[
    str,
    typer.Argument(
        metavar="URL|FILE",
        help="http://HOST:PORT/path or https://…, or a load-model file (.yaml).",
        show_default=False,
    ),
]
UrlOverFile = Annotated[
    str | None, option(REQUEST, "Instead of the URL of a FILE.", "--url", metavar="URL")
]
Method = Annotated[
    str | None,
    option(REQUEST, "GET, or POST with --data.", "--method", "-X", metavar="METHOD"),
]
Header = Annotated[
    list[str] | None,
    option(REQUEST, "'Name: value'; repeatable.", "--header", "-H", metavar="HEADER"),
]
Data = Annotated[str | None, option(REQUEST, "The body, or @FILE.", "--data", "-d", metavar="BODY")]
KeepAlive = Annotated[
    bool | None,
    option(
        CONNECTION,
        "Carry many requests on a connection, as by default.",
        "--keep-alive/--no-keep-alive",
    ),
]
MaxInFlight = Annotated[
    int | None, option(CONNECTION, "Connections at most; 10000 by default.", metavar="N")
]
Insecure = Annotated[
    bool | None, option(CONNECTION, "Accept any TLS certificate.", "--insecure/--no-insecure")
]
CaCert = Annotated[str | None, option(CONNECTION, "Authorities to trust, PEM.", metavar="FILE")]
UnixSocket = Annotated[str | None, option(CONNECTION, "Connect to this socket.", metavar="PATH")]
Authorized = Annotated[
    list[str] | None,
    option(CONNECTION, "A public HOST whose owner has agreed to this load.", metavar="HOST"),
]
Probe = Annotated[
    list[str] | None,
    option(
        SERVER,
        "Sample the server meanwhile: auto, host, process:NAME, listen:PORT and more; repeatable.",
        metavar="SPEC",
    ),
]
Workers = Annotated[
    int | None, option(GENERATOR, "Threads that offer the load; 1 by default.", metavar="N")
]
Pin = Annotated[str | None, option(GENERATOR, "Their cores, such as 0,1.", metavar="CORES")]
Spin = Annotated[
    bool | None, option(GENERATOR, "Spend a core on exact starts.", "--spin/--no-spin")
]
Out = Annotated[
    Path | None,
    option(OUTPUT, "Directory for the run's files; by default breakstep-runs/ID.", metavar="DIR"),
]
Json = Annotated[
    str | None, option(OUTPUT, "The result, to FILE or - for standard output.", metavar="FILE")
]
Quiet = Annotated[bool, option(OUTPUT, "Only the result.", "--quiet", "-q")]
