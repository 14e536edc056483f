"""`breakstep check`: a gate for a pipeline. One load, or two versions against each other."""

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from breakstep.cli.exits import ANSWERED, INTERRUPTED, MISSED, NO_ANSWER, reported
from breakstep.cli.options import (
    JUDGING,
    LOAD,
    OUTPUT,
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
from breakstep.cli.output import STANDARD_OUTPUT, write_text
from breakstep.cli.show import write_json
from breakstep.model.record import Result
from breakstep.plan.check_flags import (
    LOSS,
    PAIRS,
    Basis,
    CheckFlags,
    change_from_flags,
    check_from_flags,
)
from breakstep.plan.source import flags_from
from breakstep.plan.words import Flags
from breakstep.report.check import check_text
from breakstep.report.junit import junit_xml
from breakstep.report.markdown import markdown
from breakstep.report.progress import progress_on
from breakstep.session.around import Around, default_out, new_run
from breakstep.session.basis import basis_of, newest_basis
from breakstep.session.change import check_change
from breakstep.session.check import check as run_check
from breakstep.session.interrupts import interrupts
from breakstep.store.check_json import gate_of
from breakstep.store.run_reference import referred

STEP_SUMMARY = "GITHUB_STEP_SUMMARY"


def check(  # noqa: PLR0913  a command has as many parameters as flags
    source: Source,
    *,
    url: UrlOverFile = None,
    rate: Annotated[
        str | None,
        option(
            LOAD, "Requests a second; by default 0.6 of where --from-run broke.", metavar="RATE"
        ),
    ] = None,
    from_run: Annotated[
        str | None,
        option(
            LOAD,
            "The `find` that tells where, and the SLOs if none are given; by default the newest.",
            metavar="RUN",
        ),
    ] = None,
    for_: Annotated[
        str | None,
        option(LOAD, "How long at most: 60s, or 44s for a change.", "--for", metavar="TIME"),
    ] = None,
    slo: Annotated[
        list[str] | None,
        option(JUDGING, "p95<200ms, errors<1%, goodput>97%; repeatable.", metavar="SLO"),
    ] = None,
    against: Annotated[
        str | None,
        option(JUDGING, "Judge a change: the URL of the base, up as well.", metavar="URL"),
    ] = None,
    base_command: Annotated[
        str | None,
        option(JUDGING, "Judge a change: starts or deploys the base.", metavar="COMMAND"),
    ] = None,
    head_command: Annotated[
        str | None,
        option(JUDGING, "Starts or deploys what is to be judged.", metavar="COMMAND"),
    ] = None,
    loss: Annotated[
        str, option(JUDGING, "The slowdown that must not pass unnoticed.", metavar="SHARE")
    ] = LOSS,
    pairs: Annotated[
        int, option(JUDGING, "Pairs of blocks, one of each version.", metavar="N")
    ] = PAIRS,
    ramp: Annotated[str, option(LOAD, "Rise to the rate, not judged.", metavar="TIME")] = "0s",
    warmup: Annotated[str, option(LOAD, "At the rate before it is judged.", metavar="TIME")] = "2s",
    arrivals: Annotated[str, option(LOAD, "poisson or uniform.", metavar="LAW")] = "poisson",
    seed: Annotated[int, option(LOAD, "The same seed is the same schedule.")] = 1,
    timeout: Annotated[
        str, option(JUDGING, "From the intended start to the last byte.", metavar="TIME")
    ] = "10s",
    probe: Probe = None,
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
    junit: Annotated[Path | None, option(OUTPUT, "JUnit XML, to FILE.", metavar="FILE")] = None,
    summary: Annotated[
        Path | None,
        option(
            OUTPUT,
            "Markdown for a pull request, to FILE; on GitHub also to the step's summary.",
            metavar="FILE",
        ),
    ] = None,
    out: Out = None,
    json: Json = None,
    quiet: Quiet = False,
) -> None:
    """Hold one load against objectives, or a version against another: exit 0, 99 or 3."""
    flags = Flags(
        url=url,
        slo=slo or (),
        ramp=ramp,
        warmup=warmup,
        arrivals=arrivals,
        timeout=timeout,
        max_in_flight=max_in_flight,
        seed=seed,
        workers=workers,
        pin=pin,
        spin=spin,
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
        flags = flags_from(source, flags)
        asked = CheckFlags(
            rate=rate,
            for_=for_,
            basis=_basis(flags.url or "", rate, from_run),
            against=against,
            base_command=base_command,
            head_command=head_command,
            loss=loss,
            pairs=pairs,
        )
        result = _checked(flags, asked, out, json=json, quiet=quiet)
        if junit is not None:
            write_text(junit_xml(result), junit, "--junit")
        _summarise(markdown(result), summary)
    raise typer.Exit(_exit_code(result))


def _basis(url: str, rate: str | None, from_run: str | None) -> Basis | None:
    """The run that was named; else, where no rate was given, the newest of this URL."""
    if from_run is not None:
        return basis_of(referred(from_run))
    return newest_basis(url) if rate is None else None


def _checked(
    flags: Flags, asked: CheckFlags, out: Path | None, *, json: str | None, quiet: bool
) -> Result:
    screen, run = Console(stderr=True, highlight=False, soft_wrap=True), new_run()
    out = out or default_out(run)
    with interrupts() as stopping:
        around = Around(
            run=run,
            out=out,
            progress=progress_on(screen, quiet=quiet),
            say=(lambda _line: None) if quiet else (lambda line: screen.print(line, markup=False)),
            stopping=stopping,
        )
        if asked.of_a_change:
            result = check_change(change_from_flags(flags, asked), around)
        else:
            result = run_check(check_from_flags(flags, asked), around)
    if json is not None:
        write_json(result, json)
    if not quiet or json is None:
        console = screen if json == STANDARD_OUTPUT else Console(highlight=False, soft_wrap=True)
        console.print(check_text(result), markup=False)
        console.print(f"\nreport: {out / 'report.html'}", markup=False)
    return result


def _summarise(text: str, to: Path | None) -> None:
    """Where it was asked for, and onto the page of a job on GitHub."""
    if to is not None:
        write_text(text, to, "--summary")
    step = os.environ.get(STEP_SUMMARY)
    if step:
        write_text(text, Path(step), STEP_SUMMARY, append=True)


def _exit_code(result: Result) -> int:
    if result.runs and result.runs[-1].stop_reason == "interrupted":
        return INTERRUPTED
    codes = {"pass": ANSWERED, "fail": MISSED}
    return codes.get(gate_of(result).verdict, NO_ANSWER)
