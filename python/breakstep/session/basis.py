"""The load of a gate from an earlier run: safely below where the service broke."""

from pathlib import Path

from breakstep.model.errors import PlanError
from breakstep.model.record import Result
from breakstep.plan.check_flags import Basis
from breakstep.plan.redact import redact_url
from breakstep.store.history import history
from breakstep.store.history_index import Index, index_file
from breakstep.store.result_json import read_result
from breakstep.store.run_directory import runs_place

PART = 0.6
"""Of the breaking load. Above two thirds waiting grows fast and makes every verdict slower; below a
half a service would have to lose much before it shows."""


def basis_of(result: Result) -> Basis:
    """What to offer. Raises PlanError where the run did not find enough out."""
    found = result.answer
    broke_per_s = found.knee_per_s or found.sustainable_per_s
    if result.command != "find" or broke_per_s is None:
        says = (
            f"--from-run: {result.id} is a {result.command} that found no breaking load "
            f"({found.status}): give --rate, or run `breakstep find` first"
        )
        raise PlanError([says])
    slos = [str(slo) for slo in result.plan.get("slos", ())]
    return Basis(result.id, float(f"{PART * broke_per_s:.3g}"), slos)


def newest_basis(url: str) -> Basis | None:
    """From the newest search of this URL that broke it; None without one. Raises StoreError."""
    target = redact_url(url)
    known = [
        entry
        for entry in history(runs_place(), Index(index_file())).entries
        if entry.command == "find" and entry.target == target and entry.status == "found"
    ]
    return basis_of(read_result(Path(known[-1].path))) if known else None
