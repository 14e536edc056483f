"""What came of an experiment, as the envelope of every verb with a section `lab`."""

from dataclasses import asdict
from typing import Any

from breakstep.lab.made import Judged, LabResult, Made
from breakstep.model.record import FORMAT


def envelope(result: LabResult) -> dict[str, Any]:
    """The values of `result.json`; the runs' own results lie in directories beside it."""
    return {
        "format": FORMAT,
        "command": "lab",
        "id": result.id,
        "plan": None,
        "environment": dict(result.environment),
        "trust": _trust(result),
        "lab": _section(result),
    }


def _section(result: LabResult) -> dict[str, Any]:
    experiment = result.experiment
    return {
        "name": experiment.name,
        "title": experiment.title,
        "shows": experiment.shows,
        "place": result.cores,
        "held": result.held,
        "runs": [_run(made) for made in result.made],
        "truths": [_truth(judged) for judged in result.judged],
        "figures": [
            {
                "name": figure.name,
                "ours": figure.ours(result.found) if figure.ours else None,
                "elsewhere": figure.elsewhere,
            }
            for figure in experiment.elsewhere
        ],
    }


def _run(made: Made) -> dict[str, Any]:
    return {
        "key": made.key,
        "attempt": made.attempt,
        "url": made.url,
        "seconds": made.seconds,
        "directory": made.directory,
        "processes": dict(made.processes),
        "versions": dict(made.versions),
        "figures": dict(made.measured.figures),
        "facts": dict(made.measured.facts),
    }


def _truth(judged: Judged) -> dict[str, Any]:
    return {"says": judged.truth.says, "keys": list(judged.truth.keys), **asdict(judged.held)}


def _trust(result: LabResult) -> dict[str, Any]:
    """The worst of the runs that count: the last attempt of each."""
    order = ("trusted", "noisy", "invalid")
    trusts = [one.result.trust for one in result.found.values() if one.result is not None]
    if not trusts:
        return {"verdict": "trusted", "checks": []}
    worst = max(trusts, key=lambda trust: order.index(trust.verdict))
    return asdict(worst)
