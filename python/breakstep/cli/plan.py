"""`breakstep plan`: from runs and a demand to what has to run."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from breakstep.capacity.burst import burst_factor
from breakstep.capacity.planning import plan_capacity
from breakstep.cli.exits import ANSWERED, NO_ANSWER, reported
from breakstep.cli.options import option
from breakstep.cli.output import STANDARD_OUTPUT, write_out
from breakstep.model.capacity import CapacityPlan
from breakstep.model.errors import PlanError
from breakstep.model.record import Result
from breakstep.model.sweep import Usl
from breakstep.plan.capacity_flags import CapacityFlags, terms_from_flags
from breakstep.plan.counts import read_counts
from breakstep.report.envelope import dumps
from breakstep.report.finding import finding_of
from breakstep.report.plan import plan_text
from breakstep.report.plan_json import plan_envelope
from breakstep.store import sweep_json
from breakstep.store.run_directory import new_run
from breakstep.store.run_reference import referred

DEMAND, NODE, DATABASE, SCALING, OUTPUT = "Demand", "Node", "Database", "Scaling", "Output"
WIDEST = 100


def plan(  # noqa: PLR0913  a command has as many parameters as flags
    runs: Annotated[
        list[str],
        typer.Argument(
            help="Runs of find of one node, best five or more; also a sweep. A directory, an id, "
            "last, last-1 …",
            show_default=False,
        ),
    ],
    *,
    peak: Annotated[
        str | None, option(DEMAND, "Requests a second to carry at the peak.", metavar="RATE")
    ] = None,
    growth: Annotated[
        str | None, option(DEMAND, "Until the next plan, as in 30%.", metavar="SHARE")
    ] = None,
    burst: Annotated[
        str | None, option(DEMAND, "A moment's load over the peak's, as in 1.3.", metavar="FACTOR")
    ] = None,
    counts: Annotated[
        Path | None,
        option(
            DEMAND,
            "Tells the burst: a file with the requests of each second at the peak, one a line.",
            metavar="FILE",
        ),
    ] = None,
    failures: Annotated[
        int | None, option(DEMAND, "Nodes that may be down at the peak; 1.", metavar="N")
    ] = None,
    nodes: Annotated[
        int | None, option(DEMAND, "Are so many enough? For which peak?", metavar="N")
    ] = None,
    headroom: Annotated[
        str | None,
        option(
            NODE, "Count on this share of what a node carried, not on the spread.", metavar="SHARE"
        ),
    ] = None,
    imbalance: Annotated[
        str | None, option(NODE, "The busiest node over the mean of all.", metavar="FACTOR")
    ] = None,
    measured_on: Annotated[
        int, option(NODE, "The runs were made on so many nodes.", metavar="N")
    ] = 1,
    linear: Annotated[
        bool, option(NODE, "Plan as if nodes shared nothing of what was full.", "--linear")
    ] = False,
    pool: Annotated[
        int | None, option(DATABASE, "Connections of a process's pool.", metavar="N")
    ] = None,
    processes: Annotated[
        int | None, option(DATABASE, "Processes of a node, each with a pool; 1.", metavar="N")
    ] = None,
    max_connections: Annotated[
        int | None, option(DATABASE, "What the database allows.", metavar="N")
    ] = None,
    reserved: Annotated[
        int | None, option(DATABASE, "Of these kept for others; 3.", metavar="N")
    ] = None,
    extra_nodes: Annotated[
        int, option(DATABASE, "More nodes while a deployment rolls.", metavar="N")
    ] = 1,
    held: Annotated[
        str | None, option(DATABASE, "How long a request holds a connection.", metavar="TIME")
    ] = None,
    ramp_rate: Annotated[
        str | None,
        option(SCALING, "How much load rises each second, on all nodes together.", metavar="RATE"),
    ] = None,
    react: Annotated[
        str | None, option(SCALING, "Until a new node serves, as in 90s.", metavar="TIME")
    ] = None,
    json: Annotated[
        str | None, option(OUTPUT, "The plan, to FILE or - for standard output.", metavar="FILE")
    ] = None,
) -> None:
    """Plan nodes, connections and limits for a peak."""
    with reported():
        results = [referred(run) for run in runs]
        searches = [r for r in results if sweep_json.SECTION not in r.sections]
        if not searches:
            raise PlanError(["name a run of find: a sweep alone finds no breaking load"])
        flags = CapacityFlags(
            peak=peak,
            growth=growth,
            burst=burst,
            counted_burst=_counted(counts),
            failures=failures,
            imbalance=imbalance,
            headroom=headroom,
            nodes=nodes,
            measured_on=measured_on,
            linear=linear,
            pool=pool,
            processes=processes,
            max_connections=max_connections,
            reserved=reserved,
            extra_nodes=extra_nodes,
            held=held,
            ramp_rate=ramp_rate,
            react=react,
        )
        terms = terms_from_flags(flags, _stored(searches))
        findings = [finding_of(result) for result in searches]
        found = plan_capacity(searches, findings, _usl(results), terms)
        _show(found, searches, json)
    raise typer.Exit(NO_ANSWER if found.fleet is None else ANSWERED)


def _show(found: CapacityPlan, searches: Sequence[Result], json: str | None) -> None:
    width = min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns)
    typer.echo(plan_text(found, width), err=json == STANDARD_OUTPUT)
    if json is not None:
        write_out(dumps(plan_envelope(found, searches, new_run())), json, "--json")


def _counted(counts: Path | None) -> float | None:
    """The burst that a file of counts shows. Raises PlanError."""
    if counts is None:
        return None
    try:
        return burst_factor(read_counts(counts))
    except ValueError as error:
        raise PlanError([f"--counts: {counts}: {error}"]) from error


def _stored(searches: Sequence[Result]) -> dict[str, Any]:
    """The demand of the load-model file that the runs were made from; the last one's counts."""
    stored = [result.plan.get("demand") for result in searches]
    return dict(next((demand for demand in reversed(stored) if isinstance(demand, dict)), {}))


def _usl(results: Sequence[Result]) -> Usl | None:
    """The law of the last sweep, if it describes it."""
    sweeps = [sweep_json.sweep_of(r) for r in results if sweep_json.SECTION in r.sections]
    return sweeps[-1].usl if sweeps and sweeps[-1].usl.valid else None
