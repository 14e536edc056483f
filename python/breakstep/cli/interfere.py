"""`breakstep interfere`: what one endpoint suffers under another's load."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from breakstep.cli.exits import ANSWERED, INTERRUPTED, NO_ANSWER, reported
from breakstep.cli.options import (
    JUDGING,
    LOAD,
    Authorized,
    CaCert,
    Header,
    Insecure,
    Json,
    MaxInFlight,
    Out,
    Pin,
    Probe,
    Quiet,
    Workers,
    option,
)
from breakstep.cli.output import STANDARD_OUTPUT
from breakstep.cli.show import write_json
from breakstep.model.interfere import InterferePlan
from breakstep.model.record import Result
from breakstep.plan.interfere_flags import (
    BULLY_CONNECTIONS,
    REPEAT,
    VICTIM_CONNECTIONS,
    OfferFlags,
    interfere_from_flags,
)
from breakstep.plan.words import Flags
from breakstep.report.interfere import conclusion
from breakstep.report.progress import progress_on
from breakstep.session.around import Around, default_out, new_run
from breakstep.session.interfere import interfere as run_interfere
from breakstep.session.interrupts import interrupts
from breakstep.store.interfere_json import SECTION

VictimUrl = Annotated[str, typer.Argument(help="The endpoint that is measured.")]
BullyUrl = Annotated[str, typer.Argument(help="The endpoint that is loaded beside it.")]


def interfere(  # noqa: PLR0913  a command has as many parameters as flags
    victim_url: VictimUrl,
    bully_url: BullyUrl,
    *,
    victim_rate: Annotated[
        str | None, option(LOAD, "Requests a second to the victim.", metavar="RATE")
    ] = None,
    victim_connections: Annotated[
        int | None,
        option(LOAD, f"Or connections that are never idle; {VICTIM_CONNECTIONS}.", metavar="N"),
    ] = None,
    bully_rate: Annotated[
        str | None, option(LOAD, "Requests a second to the bully.", metavar="RATE")
    ] = None,
    bully_connections: Annotated[
        int | None,
        option(LOAD, f"Or connections that are never idle; {BULLY_CONNECTIONS}.", metavar="N"),
    ] = None,
    repeat: Annotated[int, option(JUDGING, "How often both are measured.", metavar="N")] = REPEAT,
    hold: Annotated[str | None, option(LOAD, "The measured part; 5s.", metavar="TIME")] = None,
    warmup: Annotated[
        str | None, option(LOAD, "Before it, not measured; 2s.", metavar="TIME")
    ] = None,
    timeout: Annotated[
        str | None, option(JUDGING, "From the intended start to the last byte.", metavar="TIME")
    ] = None,
    seed: Annotated[int | None, option(LOAD, "The same seed is the same schedule.")] = None,
    probe: Probe = None,
    header: Header = None,
    max_in_flight: MaxInFlight = None,
    insecure: Insecure = None,
    cacert: CaCert = None,
    authorized: Authorized = None,
    workers: Workers = None,
    pin: Pin = None,
    out: Out = None,
    json: Json = None,
    quiet: Quiet = False,
) -> None:
    """Measure one endpoint alone, then under another's load."""
    flags = Flags(
        url=victim_url,
        hold=hold,
        warmup=warmup,
        timeout=timeout,
        seed=seed,
        probe=probe or (),
        header=header or (),
        max_in_flight=max_in_flight,
        insecure=insecure,
        cacert=cacert,
        authorized=authorized or (),
        workers=workers,
        pin=pin,
    )
    offers = (
        OfferFlags("victim", victim_rate, victim_connections),
        OfferFlags("bully", bully_rate, bully_connections),
    )
    with reported():
        plan = interfere_from_flags(flags, bully_url, offers, repeat)
        run = new_run()
        result = _measure(plan, run, out or default_out(run), json=json, quiet=quiet)
    raise typer.Exit(_exit_code(result))


def _measure(plan: InterferePlan, run: str, out: Path, *, json: str | None, quiet: bool) -> Result:
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
        result = run_interfere(plan, around)
        interrupted = stopping()
    if json is not None:
        write_json(result, json)
    if not quiet or json is None:
        console = screen if json == STANDARD_OUTPUT else Console(highlight=False)
        console.print(conclusion(result), markup=False, soft_wrap=True)
        console.print(f"\nreport: {out / 'report.html'}", markup=False, soft_wrap=True)
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    return result


def _exit_code(result: Result) -> int:
    return NO_ANSWER if result.sections[SECTION]["throughput_ratio"] is None else ANSWERED
