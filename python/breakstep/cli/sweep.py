"""`breakstep sweep`: throughput by the number of users, the closed model."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from breakstep.cli.exits import ANSWERED, INTERRUPTED, NO_ANSWER, reported
from breakstep.cli.options import (
    LOAD,
    Authorized,
    CaCert,
    Data,
    Header,
    Insecure,
    Json,
    KeepAlive,
    MaxInFlight,
    Method,
    Out,
    Pin,
    Quiet,
    Source,
    Spin,
    UnixSocket,
    UrlOverFile,
    Workers,
    option,
)
from breakstep.cli.output import STANDARD_OUTPUT
from breakstep.cli.show import show_sweep, write_json
from breakstep.model.record import Result
from breakstep.model.sweep import Sweep, SweepPlan
from breakstep.plan.source import flags_from
from breakstep.plan.sweep_flags import CONCURRENCY, sweep_from_flags
from breakstep.plan.words import Flags
from breakstep.report.progress import progress_on
from breakstep.session.around import Around, default_out, new_run
from breakstep.session.interrupts import interrupts
from breakstep.session.sweep import sweep as run_sweep
from breakstep.store.sweep_json import sweep_of


def sweep(  # noqa: PLR0913  a command has as many parameters as flags
    source: Source,
    *,
    url: UrlOverFile = None,
    concurrency: Annotated[
        str, option(LOAD, "The numbers of users, lowest first.", metavar="LEVELS")
    ] = CONCURRENCY,
    think: Annotated[
        str, option(LOAD, "A user's pause between an answer and a request.", metavar="TIME")
    ] = "0s",
    hold: Annotated[
        str | None, option(LOAD, "The measured part of a level; 5s.", metavar="TIME")
    ] = None,
    warmup: Annotated[
        str | None,
        option(LOAD, "Before the hold, not measured; whole seconds; 1s.", metavar="TIME"),
    ] = None,
    compare_open: Annotated[
        bool,
        option(
            LOAD,
            "Offer the last level's users as an open model too: what did the closed one omit?",
            "--compare-open",
        ),
    ] = False,
    timeout: Annotated[
        str | None, option(LOAD, "From the intended start to the last byte; 10s.", metavar="TIME")
    ] = None,
    seed: Annotated[
        int | None, option(LOAD, "Of the open model's arrivals; 1.", metavar="N")
    ] = None,
    method: Method = None,
    header: Header = None,
    data: Data = None,
    keep_alive: KeepAlive = None,
    max_in_flight: MaxInFlight = None,
    insecure: Insecure = None,
    cacert: CaCert = None,
    unix_socket: UnixSocket = None,
    authorized: Authorized = None,
    workers: Workers = None,
    pin: Pin = None,
    spin: Spin = None,
    out: Out = None,
    json: Json = None,
    quiet: Quiet = False,
) -> None:
    """Measure throughput by the number of users: the closed model."""
    flags = Flags(
        url=url,
        hold=hold,
        warmup=warmup,
        timeout=timeout,
        max_in_flight=max_in_flight,
        seed=seed,
        workers=workers,
        pin=pin,
        spin=spin,
        method=method,
        header=header or (),
        data=data,
        keep_alive=keep_alive,
        insecure=insecure,
        cacert=cacert,
        unix_socket=unix_socket,
        authorized=authorized or (),
    )
    with reported():
        flags = flags_from(source, flags)
        plan = sweep_from_flags(flags, concurrency, think, compare_open=compare_open)
        run = new_run()
        result = _measure(plan, run, out or default_out(run), json=json, quiet=quiet)
        found = sweep_of(result)
    raise typer.Exit(_exit_code(found))


def _measure(plan: SweepPlan, run: str, out: Path, *, json: str | None, quiet: bool) -> Result:
    screen = Console(stderr=True, highlight=False)
    with interrupts() as stopping:
        around = Around(
            run=run,
            out=out,
            progress=progress_on(screen, quiet=quiet),
            say=(lambda _line: None)
            if quiet
            else (lambda line: screen.print(line, markup=False, soft_wrap=True)),
            stopping=stopping,
        )
        result = run_sweep(plan, around)
    if json is not None:
        write_json(result, json)
    if not quiet or json is None:
        console = screen if json == STANDARD_OUTPUT else Console(highlight=False)
        show_sweep(result, console, out, tables=not quiet)
    return result


def _exit_code(found: Sweep) -> int:
    if found.stop_reason == "interrupted":
        return INTERRUPTED
    return ANSWERED if found.knee.highest_per_s is not None else NO_ANSWER
