"""`breakstep compare`: runs against the first of them."""

from typing import Annotated

import typer

from breakstep.analysis.run_comparison import compare as compare_runs
from breakstep.cli.exits import ANSWERED, NO_ANSWER, reported
from breakstep.cli.output import STANDARD_OUTPUT, write_out
from breakstep.model.errors import PlanError
from breakstep.report.compare import RUNS_MOST, compare_envelope, compare_text
from breakstep.report.envelope import dumps
from breakstep.store.run_directory import new_run
from breakstep.store.run_reference import referred


def compare(
    runs: Annotated[
        list[str],
        typer.Argument(
            help="Directories, ids or beginnings of ids; last, last-1 …: the first is the base.",
            show_default=False,
        ),
    ],
    *,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Compare what was not measured on the same terms.")
    ] = False,
    json: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The result, to FILE or - for standard output."),
    ] = None,
) -> None:
    """Compare runs: whether the breaking load moved."""
    with reported():
        if not 1 < len(runs) <= RUNS_MOST:
            raise PlanError([f"name from 2 to {RUNS_MOST} runs, the one to compare with first"])
        results = [referred(run) for run in runs]
        found = [compare_runs(results[0], other, anyway=anyway) for other in results[1:]]
        typer.echo(compare_text(results, found), err=json == STANDARD_OUTPUT)
        if json is not None:
            write_out(dumps(compare_envelope(results, found, new_run())), json, "--json")
    answered = all(one.compared and one.knee.interval is not None for one in found)
    raise typer.Exit(ANSWERED if answered else NO_ANSWER)
