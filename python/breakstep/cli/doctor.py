"""`breakstep doctor`: whether this machine can measure, and what."""

import os
from typing import Annotated, Any

import typer
from rich.console import Console

from breakstep.cli.doctor_cost import cost_found, cost_plan
from breakstep.cli.exits import ANSWERED, INTERRUPTED, NO_ANSWER, reported
from breakstep.cli.options import Probe
from breakstep.cli.output import STANDARD_OUTPUT, write_out
from breakstep.model.errors import PlanError
from breakstep.model.record import Trust
from breakstep.model.slo import Slo, parse_slo
from breakstep.model.units import NS_PER_S, parse_duration
from breakstep.report.doctor import examination_text, noise_text
from breakstep.report.doctor_json import examination_json, noise_json
from breakstep.report.envelope import dumps
from breakstep.session.doctor import Patient, examine, listen
from breakstep.session.interrupts import interrupts

SECONDS_MIN, SECONDS_MAX = 2.0, 3600.0


def doctor(  # noqa: PLR0913  a command has as many parameters as flags
    *,
    seconds: Annotated[
        float, typer.Option(metavar="SECONDS", help="How long to look, about.")
    ] = 20.0,
    pin: Annotated[
        str | None,
        typer.Option(
            metavar="CORES", help="The generator's cores, such as 0,1.", show_default=False
        ),
    ] = None,
    slo: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SLO", help="A latency bound to hold the host to; repeatable. (p99<200ms)"
        ),
    ] = None,
    noise: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Instead count late wake-ups that long, as in 130s, by second of the minute.",
            show_default=False,
        ),
    ] = None,
    cost: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Instead ask for URL, one request after another: the CPU that one takes of what "
            "--probe names.",
            show_default=False,
        ),
    ] = None,
    probe: Probe = None,
    json_: Annotated[
        str | None,
        typer.Option(
            "--json", metavar="FILE", help="The result, to FILE or - for standard output."
        ),
    ] = None,
) -> None:
    """Check this machine: what it disturbs, what it can generate, which SLOs it can judge."""
    screen = Console(stderr=True, highlight=False)
    with reported():
        patient = _patient(seconds, pin, slo or [], noise)
        asked = cost_plan(cost, probe or (), pin, noise)
        with interrupts() as stopping:
            if asked is not None:
                text, envelope, trust = cost_found(asked, patient.length_ns, stopping)
            elif noise is None:
                found = examine(patient, stopping, lambda line: screen.print(line, markup=False))
                text, envelope, trust = (
                    examination_text(found),
                    examination_json(found),
                    found.trust,
                )
            else:
                heard = listen(patient, stopping)
                text, envelope, trust = noise_text(heard), noise_json(heard), heard.trust
            interrupted = stopping()
        _show(text, envelope, json_)
    raise typer.Exit(_exit_code(trust, interrupted=interrupted))


def _patient(seconds: float, pin: str | None, slos: list[str], noise: str | None) -> Patient:
    """What was asked for. Raises PlanError with every fault."""
    faults: list[str] = []
    length_ns = round(seconds * NS_PER_S)
    if not SECONDS_MIN <= seconds <= SECONDS_MAX:
        faults.append(f"--seconds: from {SECONDS_MIN:g} to {SECONDS_MAX:g}")
    if noise is not None:
        try:
            length_ns = parse_duration(noise)
        except ValueError as error:
            faults.append(f"--noise: {error}")
    patient = Patient(length_ns, _cores(pin, faults), _slos(slos, faults))
    if faults:
        raise PlanError(faults)
    return patient


def _cores(pin: str | None, faults: list[str]) -> tuple[int, ...]:
    if pin is None:
        return ()
    words = [word.strip() for word in pin.split(",")]
    allowed = os.sched_getaffinity(0)
    if not all(word.isdecimal() and int(word) in allowed for word in words):
        cores = ", ".join(map(str, sorted(allowed)))
        faults.append(f"--pin: {pin!r} is no list of cores we may run on; these are {cores}")
        return ()
    return tuple(sorted({int(word) for word in words}))


def _slos(texts: list[str], faults: list[str]) -> tuple[Slo, ...]:
    found = []
    for text in texts:
        try:
            slo = parse_slo(text)
        except ValueError as error:
            faults.append(f"--slo: {error}")
            continue
        if slo.kind == "latency":
            found.append(slo)
        else:
            faults.append(f"--slo: {text!r}: a host can only be held to a latency, as in p99<50ms")
    return tuple(found)


def _show(text: str, envelope: dict[str, Any], to: str | None) -> None:
    console = Console(stderr=to == STANDARD_OUTPUT, highlight=False, soft_wrap=True)
    console.print(text, markup=False)
    if to is not None:
        write_out(dumps(envelope), to, "--json")


def _exit_code(trust: Trust, *, interrupted: bool) -> int:
    if interrupted:
        return INTERRUPTED
    return NO_ANSWER if trust.verdict == "invalid" else ANSWERED
