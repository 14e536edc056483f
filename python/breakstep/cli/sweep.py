"""`breakstep sweep`: throughput by the number of users, the closed model."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from typer.models import OptionInfo

from breakstep.cli.exits import ANSWERED, INTERRUPTED, NO_ANSWER, reported
from breakstep.cli.find import CONNECTION, GENERATOR, LOAD, OUTPUT, REQUEST
from breakstep.cli.show import STANDARD_OUTPUT, write_json
from breakstep.model.record import Result
from breakstep.model.sweep import Sweep, SweepPlan
from breakstep.plan.flags import Flags
from breakstep.plan.sweep_flags import CONCURRENCY, sweep_from_flags
from breakstep.report.progress import Silent
from breakstep.report.sweep import comparison_table, conclusion, levels_table
from breakstep.session.find import Around, default_out, new_run
from breakstep.session.interrupts import interrupts
from breakstep.session.sweep import sweep as run_sweep
from breakstep.store.sweep_json import sweep_of


def _option(panel: str, text: str, *names: str, metavar: str | None = None) -> OptionInfo:
    option: OptionInfo = typer.Option(*names, help=text, rich_help_panel=panel, metavar=metavar)
    return option


def sweep(  # noqa: PLR0913  a command has as many parameters as flags
    url: Annotated[
        str, typer.Argument(help="http://HOST:PORT/path or https://…", show_default=False)
    ],
    *,
    concurrency: Annotated[
        str, _option(LOAD, "The numbers of users, lowest first.", metavar="LEVELS")
    ] = CONCURRENCY,
    think: Annotated[
        str, _option(LOAD, "A user's pause between an answer and a request.", metavar="TIME")
    ] = "0s",
    hold: Annotated[str, _option(LOAD, "The measured part of a level.", metavar="TIME")] = "5s",
    warmup: Annotated[
        str, _option(LOAD, "Before the hold, not measured; whole seconds.", metavar="TIME")
    ] = "1s",
    compare_open: Annotated[
        bool,
        _option(
            LOAD,
            "Offer the last level's users as an open model too: what did the closed one omit?",
            "--compare-open",
        ),
    ] = False,
    timeout: Annotated[
        str, _option(LOAD, "From the intended start to the last byte.", metavar="TIME")
    ] = "10s",
    seed: Annotated[int, _option(LOAD, "Of the open model's arrivals.")] = 1,
    method: Annotated[
        str | None,
        _option(REQUEST, "GET, or POST with --data.", "--method", "-X", metavar="METHOD"),
    ] = None,
    header: Annotated[
        list[str] | None,
        _option(REQUEST, "'Name: value'; repeatable.", "--header", "-H", metavar="HEADER"),
    ] = None,
    data: Annotated[
        str | None, _option(REQUEST, "The body, or @FILE.", "--data", "-d", metavar="BODY")
    ] = None,
    keep_alive: Annotated[
        bool,
        _option(CONNECTION, "Carry many requests on a connection.", "--keep-alive/--no-keep-alive"),
    ] = True,
    max_in_flight: Annotated[int, _option(CONNECTION, "Connections at most.")] = 10_000,
    insecure: Annotated[
        bool, _option(CONNECTION, "Accept any TLS certificate.", "--insecure")
    ] = False,
    cacert: Annotated[
        str | None, _option(CONNECTION, "Authorities to trust, PEM.", metavar="FILE")
    ] = None,
    unix_socket: Annotated[
        str | None, _option(CONNECTION, "Connect to this socket.", metavar="PATH")
    ] = None,
    authorized: Annotated[
        list[str] | None,
        _option(CONNECTION, "A public HOST whose owner has agreed to this load.", metavar="HOST"),
    ] = None,
    workers: Annotated[int, _option(GENERATOR, "Threads that offer the load.")] = 1,
    pin: Annotated[
        str | None, _option(GENERATOR, "Their cores, such as 0,1.", metavar="CORES")
    ] = None,
    spin: Annotated[bool, _option(GENERATOR, "Spend a core on exact starts.", "--spin")] = False,
    out: Annotated[
        Path | None,
        _option(
            OUTPUT, "Directory for the run's files; by default breakstep-runs/ID.", metavar="DIR"
        ),
    ] = None,
    json: Annotated[
        str | None, _option(OUTPUT, "The result, to FILE or - for standard output.", metavar="FILE")
    ] = None,
    quiet: Annotated[bool, _option(OUTPUT, "Only the result.", "--quiet", "-q")] = False,
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
            progress=Silent(),
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
        _show(result, console, out, tables=not quiet)
    return result


def _show(result: Result, console: Console, out: Path, *, tables: bool) -> None:
    found = sweep_of(result)
    if tables and found.levels:
        console.print()
        console.print(levels_table(found, console))
        if found.compare_open is not None:
            console.print(comparison_table(found.compare_open))
    console.print(conclusion(result, found), markup=False, highlight=False)
    if (out / "report.html").exists():
        console.print(f"\nreport: {out / 'report.html'}", markup=False, highlight=False)


def _exit_code(found: Sweep) -> int:
    if found.stop_reason == "interrupted":
        return INTERRUPTED
    return ANSWERED if found.knee.highest_per_s is not None else NO_ANSWER
