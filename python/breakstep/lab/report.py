"""What came of an experiment, for people: the same text on a terminal and as Markdown."""

from collections.abc import Iterator

from breakstep.lab.knees import knee_of, why_none
from breakstep.lab.made import Judged, LabResult, Made
from breakstep.store.sweep_json import SECTION

_MARKS = {True: "held", False: "MISSED", None: "not judged"}


def report_text(result: LabResult) -> str:
    """The whole report, as Markdown that reads well unrendered."""
    experiment = result.experiment
    parts = [
        f"# {experiment.name}: {experiment.title}",
        experiment.shows,
        f"Placed: {result.cores}.",
        "## Runs\n\n" + "\n".join(_run_lines(result.made)),
        _truths(result.judged),
        _figures(result),
        verdict_text(result),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def verdict_text(result: LabResult) -> str:
    """How many truths held, in one sentence."""
    held = sum(one.held.ok is True for one in result.judged)
    total = len(result.judged)
    if total == 0:
        return f"{result.experiment.name}: an open question; its figures are the answer."
    if held == total:
        return f"{result.experiment.name}: every truth held ({total} of {total})."
    missed = [one.truth.says for one in result.judged if one.held.ok is False]
    unjudged = [one.truth.says for one in result.judged if one.held.ok is None]
    parts = [f"{result.experiment.name}: {held} of {total} truths held."]
    parts += [f"Missed: {says}." for says in missed]
    parts += [f"Could not be judged: {says}." for says in unjudged]
    return " ".join(parts)


def _run_lines(made: tuple[Made, ...]) -> Iterator[str]:
    for one in made:
        versions = ", ".join(f"{name} {version}" for name, version in one.versions.items())
        yield f"- `{one.directory}`: {_brought(one)} ({one.seconds:.0f} s; {versions})"


def _brought(one: Made) -> str:
    measured = one.measured
    parts = [f"{name} {value:.4g}" for name, value in measured.figures.items()]
    result = measured.result
    if result is not None and SECTION in result.sections:
        knee = result.sections[SECTION]["knee"]
        parts.append(f"at most {knee['highest_per_s'] or 0.0:.4g}/s")
    elif result is not None and result.runs:
        knee_found = knee_of(measured)
        parts.append(f"breaks {knee_found}" if knee_found else why_none(measured))
        said = result.sections.get("diagnosis")
        parts += [f"{said['kind']} of {said['resource']}"] if said else []
    return "; ".join(parts) or "nothing measured"


def _truths(judged: tuple[Judged, ...]) -> str:
    """Nothing for an open question."""
    return "## Truths\n\n" + "\n".join(map(_truth_line, judged)) if judged else ""


def _truth_line(one: Judged) -> str:
    return f"- {_MARKS[one.held.ok]}: {one.truth.says}: {one.held.ours}"


def _figures(result: LabResult) -> str:
    figures = result.experiment.elsewhere
    if not figures:
        return ""
    rows = [
        f"| {figure.name} | {figure.ours(result.found) if figure.ours else ''} "
        f"| {figure.elsewhere} |"
        for figure in figures
    ]
    return "## Figures\n\n| | here | elsewhere |\n|---|---|---|\n" + "\n".join(rows)
