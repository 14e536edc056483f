"""`breakstep target`: the model server, whose queueing behaviour is known exactly."""

import signal
import sys
from typing import Annotated

import typer
from typer.models import OptionInfo

from breakstep._engine import TargetServer

_STOPPING = (signal.SIGINT, signal.SIGTERM)


def _text(metavar: str, text: str) -> OptionInfo:
    option: OptionInfo = typer.Option(metavar=metavar, help=text, show_default=False)
    return option


def target(  # noqa: PLR0913 - one parameter a flag
    *,
    listen: Annotated[
        str | None, _text("ADDRESS", "IP:PORT or unix:PATH; port 0 is any. (default: 127.0.0.1:0)")
    ] = None,
    servers: Annotated[str | None, _text("N", "How many servers there are. (default: 1)")] = None,
    service: Annotated[
        str | None,
        _text(
            "LAW",
            "Service time: constant:20ms, exponential:20ms, uniform:5ms,15ms, lognormal:20ms,0.5"
            " or 0. (default: constant:20ms)",
        ),
    ] = None,
    discipline: Annotated[
        str | None,
        _text("NAME", "fcfs: first come, first served; ps: processor sharing. (default: fcfs)"),
    ] = None,
    queue: Annotated[
        str | None,
        _text("N", "Waiting places beyond the servers; full is 503. (default: no bound)"),
    ] = None,
    give_up: Annotated[
        str | None,
        _text("DURATION", "Answer 504 that long after the arrival; the work is still done."),
    ] = None,
    stall: Annotated[
        str | None, _text("LENGTH/PERIOD", "Freeze again and again, as in 200ms/5s.")
    ] = None,
    stall_once: Annotated[str | None, _text("LENGTH@AT", "Freeze once, as in 1s@30s.")] = None,
    errors: Annotated[
        str | None, _text("SHARE", "Answer 500 to this share, as in 2%. (default: 0%)")
    ] = None,
    fast_errors: Annotated[
        bool, typer.Option("--fast-errors", help="Answer those at once, without service.")
    ] = False,
    body_bytes: Annotated[
        str | None, _text("N", "Length of a response's body. (default: 100)")
    ] = None,
    seed: Annotated[
        str | None, _text("N", "Fixes every service time and error. (default: 0)")
    ] = None,
    arrival_log: Annotated[
        str | None, _text("FILE", "Write the instant of each arrival: u64, little-endian, ns.")
    ] = None,
) -> None:
    """Serve HTTP with a queueing behaviour that is known exactly, until interrupted.

    GET /truth answers with the parameters and with what was seen so far.
    """
    given = {
        "listen": listen,
        "servers": servers,
        "service": service,
        "discipline": discipline,
        "queue": queue,
        "give_up": give_up,
        "stall": stall,
        "stall_once": stall_once,
        "errors": errors,
        "fast_errors": "true" if fast_errors else None,
        "body_bytes": body_bytes,
        "seed": seed,
        "arrival_log": arrival_log,
    }
    # Blocked before the server's thread exists, so that no thread takes the signal from us.
    signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)
    try:
        _serve({name: text for name, text in given.items() if text is not None})
    except ValueError as error:
        _print_faults(str(error).splitlines())
        raise typer.Exit(2) from error
    except OSError as error:
        _print_faults([str(error)])
        raise typer.Exit(1) from error


def _serve(parameters: dict[str, str]) -> None:
    server = TargetServer(parameters)
    address = server.start()
    scheme = "" if address.startswith("unix:") else "http://"
    typer.echo(f"listening on {scheme}{address}")
    sys.stdout.flush()
    signal.sigwait(_STOPPING)
    server.stop()


def _print_faults(faults: list[str]) -> None:
    for fault in faults:
        typer.echo(f"error: {fault}", err=True)
