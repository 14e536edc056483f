"""`breakstep find`: the breaking point of a URL."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from breakstep.cli.exits import exit_code, reported
from breakstep.cli.options import (
    JUDGING,
    LOAD,
    SERVER,
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
    Probe,
    Quiet,
    Source,
    Spin,
    UnixSocket,
    UrlOverFile,
    Workers,
    option,
)
from breakstep.cli.output import STANDARD_OUTPUT
from breakstep.cli.show import show, write_json
from breakstep.model.plan import Plan
from breakstep.model.record import Result
from breakstep.plan.source import plan_from
from breakstep.plan.words import Flags
from breakstep.report.progress import progress_on
from breakstep.session.around import Around, default_out, new_run
from breakstep.session.find import find as run_find
from breakstep.session.interrupts import interrupts


def find(  # noqa: PLR0913  a command has as many parameters as flags
    source: Source,
    *,
    url: UrlOverFile = None,
    slo: Annotated[
        list[str] | None,
        option(
            JUDGING,
            "p95<200ms, errors<1%, goodput>97%; repeatable. Assumed if not given.",
            metavar="SLO",
        ),
    ] = None,
    steps: Annotated[
        str | None, option(LOAD, "The rates to offer, such as 50,100,150.", metavar="RATES")
    ] = None,
    from_: Annotated[str | None, option(LOAD, "Lowest rate.", "--from", metavar="RATE")] = None,
    to: Annotated[str | None, option(LOAD, "Highest rate.", metavar="RATE")] = None,
    by: Annotated[
        str | None,
        option(LOAD, "Distance between steps; without it the search is automatic.", metavar="RATE"),
    ] = None,
    effort: Annotated[
        str | None,
        option(LOAD, "Of the automatic search: quick, standard or strict.", metavar="EFFORT"),
    ] = None,
    budget: Annotated[
        str | None, option(LOAD, "Time the automatic search may take.", metavar="TIME")
    ] = None,
    repeat: Annotated[
        int | None,
        option(JUDGING, "Runs of the whole; 1, or 3 with --effort standard.", metavar="N"),
    ] = None,
    between: Annotated[
        str | None,
        option(JUDGING, "Command between runs, such as a restart.", metavar="COMMAND"),
    ] = None,
    servers: Annotated[
        int | None,
        option(
            LOAD,
            "Requests the service works on at once: foretells the breaking load from light ones.",
            metavar="N",
        ),
    ] = None,
    predict_only: Annotated[
        bool | None,
        option(LOAD, "Foretell, and offer light loads only.", "--predict-only/--no-predict-only"),
    ] = None,
    hold: Annotated[str | None, option(LOAD, "The judged part of a step.", metavar="TIME")] = None,
    ramp: Annotated[
        str | None, option(LOAD, "Rise to a step's rate, not judged; 0s.", metavar="TIME")
    ] = None,
    warmup: Annotated[
        str | None, option(LOAD, "At the step's rate before the hold, not judged.", metavar="TIME")
    ] = None,
    arrivals: Annotated[
        str | None, option(LOAD, "poisson, as by default, or uniform.", metavar="LAW")
    ] = None,
    seed: Annotated[
        int | None, option(LOAD, "The same seed is the same schedule; 1.", metavar="N")
    ] = None,
    timeout: Annotated[
        str | None,
        option(JUDGING, "From the intended start to the last byte; 10s.", metavar="TIME"),
    ] = None,
    abort: Annotated[
        bool | None,
        option(
            JUDGING,
            "End a hopeless hold early, and the steps at the first failure; so by default.",
            "--abort/--no-abort",
        ),
    ] = None,
    probe: Probe = None,
    experiment: Annotated[
        str | None,
        option(
            SERVER,
            "A command that changes the service after the search, which is then made again.",
            metavar="COMMAND",
        ),
    ] = None,
    raised: Annotated[
        float | None,
        option(SERVER, "By how much it raises the suspected limit, such as 2.", metavar="FACTOR"),
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
    """Find the load at which a service breaks."""
    flags = Flags(
        url=url,
        slo=slo or (),
        steps=steps,
        from_=from_,
        to=to,
        by=by,
        effort=effort,
        budget=budget,
        hold=hold,
        ramp=ramp,
        warmup=warmup,
        arrivals=arrivals,
        timeout=timeout,
        max_in_flight=max_in_flight,
        seed=seed,
        workers=workers,
        pin=pin,
        spin=spin,
        abort=abort,
        repeat=repeat,
        between=between,
        servers=servers,
        predict_only=predict_only,
        experiment=experiment,
        raised=raised,
        probe=probe or (),
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
        plan = plan_from(source, flags)
        run = new_run()
        result = search(plan, run, out or default_out(run), json=json, quiet=quiet)
    raise typer.Exit(exit_code(result))


def search(plan: Plan, run: str, out: Path, *, json: str | None, quiet: bool) -> Result:
    """Runs the search and shows it; with `json` `-` standard output carries the result alone."""
    screen = Console(stderr=True, highlight=False)
    with interrupts() as stopping:
        around = Around(
            run=run,
            out=out,
            progress=progress_on(screen, quiet=quiet),
            say=(lambda _line: None) if quiet else (lambda line: screen.print(line, markup=False)),
            stopping=stopping,
        )
        result = run_find(plan, around)
    if json is not None:
        write_json(result, json)
    if not quiet or json is None:
        console = screen if json == STANDARD_OUTPUT else Console(highlight=False)
        show(result, console, out, table=not quiet)
    return result
