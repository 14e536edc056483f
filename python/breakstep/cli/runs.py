"""`breakstep runs`: the history of a place."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer

from breakstep.cli.exits import reported
from breakstep.cli.output import STANDARD_OUTPUT, write_out
from breakstep.model.errors import PlanError
from breakstep.model.units import NS_PER_US, parse_duration
from breakstep.report.runs import runs_json, runs_text
from breakstep.store.history import history
from breakstep.store.history_index import Index, index_file
from breakstep.store.history_record import Entry
from breakstep.store.run_directory import runs_place


def runs(
    place: Annotated[
        Path | None,
        typer.Argument(
            help="Where to look; by default $BREAKSTEP_RUNS or breakstep-runs.", show_default=False
        ),
    ] = None,
    *,
    target: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Only runs whose target has this in it.")
    ] = None,
    verb: Annotated[
        str | None, typer.Option(metavar="VERB", help="Only runs of this verb, such as find.")
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(metavar="WHEN", help="Only runs from 2026-11-30 on, or of the last 24h."),
    ] = None,
    limit: Annotated[
        int, typer.Option(metavar="N", help="The newest so many; 0 for all.", min=0)
    ] = 20,
    json: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="As JSON, to FILE or - for standard output."),
    ] = None,
) -> None:
    """List the runs there are, newest last."""
    with reported():
        earliest = None if since is None else _earliest(since, datetime.now(UTC))
        found = history(runs_place() if place is None else place, Index(index_file()))
        selected = [e for e in found.entries if _wanted(e, target, verb, earliest)]
        shown = selected[-limit:] if limit else selected
        if json != STANDARD_OUTPUT:
            typer.echo(runs_text(found, shown, len(selected)))
        if json is not None:
            write_out(runs_json(found, shown), json, "--json")


def _wanted(entry: Entry, target: str | None, verb: str | None, earliest: str | None) -> bool:
    return (
        (target is None or target in entry.target)
        and (verb is None or verb == entry.command)
        and (earliest is None or entry.started_at >= earliest)
    )


def _earliest(text: str, now: datetime) -> str:
    """The time as the history writes it. Raises PlanError."""
    try:
        at = now - timedelta(microseconds=parse_duration(text) / NS_PER_US)
    except ValueError:
        at = _date(text)
    return at.astimezone(UTC).isoformat(timespec="milliseconds")


def _date(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError) as error:
        fault = f"--since: {text!r} is neither a day such as 2026-11-30 nor a time such as 24h"
        raise PlanError([fault]) from error
