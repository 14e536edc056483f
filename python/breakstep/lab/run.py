"""`lab run`: experiments one after another, each with its report."""

from collections.abc import Callable, Sequence
from pathlib import Path

from breakstep.lab import catalog
from breakstep.lab.bring_up import clean_up
from breakstep.lab.carry_out import Supervisor
from breakstep.lab.experiment import Experiment
from breakstep.lab.home import base_directory
from breakstep.lab.made import LabResult
from breakstep.lab.needs import require
from breakstep.lab.place import allowed_cores
from breakstep.lab.report import report_text, verdict_text
from breakstep.lab.report_json import envelope
from breakstep.model.errors import BreakstepError, LabError
from breakstep.report.envelope import dumps
from breakstep.store.run_directory import RESULT, RunDirectory

Say = Callable[[str], None]
REPORT = "report.md"


def run_all(names: Sequence[str], out: Path, say: Say) -> Sequence[LabResult]:
    """Carries experiments out and shows each report.

    Raises PlanError; LabError for what is missing, and when all is over for each that failed.
    """
    experiments = catalog.chosen(names)
    require(need for experiment in experiments for need in experiment.needs)
    base = base_directory()
    clean_up(base, say)
    results, failed = [], []
    for experiment in experiments:
        try:
            results.append(_run(experiment, base, out, say))
        except BreakstepError as error:
            say(f"{experiment.name}: error: {error}")
            failed.append(experiment.name)
    if len(experiments) > 1:
        for result in results:
            say(verdict_text(result))
    if failed:
        raise LabError(f"could not be carried out: {', '.join(failed)}")
    return results


def _run(experiment: Experiment, base: Path, out: Path, say: Say) -> LabResult:
    directory = RunDirectory.create(out / experiment.name)
    result = Supervisor(experiment, base, directory.path, allowed_cores(), say).carry_out()
    text = report_text(result)
    directory.write(REPORT, text)
    directory.write(RESULT, dumps(envelope(result)))
    say("")
    print(text, flush=True)  # noqa: T201  the report is the output of the command
    say(f"files: {directory.path}")
    return result
