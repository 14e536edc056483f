"""The runs of a repeat beside one another."""

from breakstep.model.record import RunRecord
from breakstep.model.units import format_rate
from breakstep.report.columns import NOTHING
from breakstep.report.page import Material, Values
from breakstep.report.page_table import Row, page_table

_COLUMNS = (
    ("run", ""),
    ("seed", ""),
    ("steps", ""),
    ("held", "/s"),
    ("broke at", "/s"),
    ("ended", ""),
)


def repeats(material: Material) -> Values | None:
    """A row for each run; None where there was only one."""
    runs = material.result.runs
    if len(runs) < 2:  # noqa: PLR2004
        return None
    rows = [Row(_cells(number, run)) for number, run in enumerate(runs, start=1)]
    return {
        "table": page_table("Runs of the whole", _COLUMNS, rows, ("ended",)),
        "spread": _spread(runs),
    }


def _cells(number: int, run: RunRecord) -> tuple[str, ...]:
    return (
        str(number),
        str(run.seed),
        str(len(run.steps)),
        _rate(run.sustainable_per_s),
        _rate(run.broken_per_s),
        f"{run.stop_reason}: {run.why}" if run.why else run.stop_reason,
    )


def _rate(rate_per_s: float | None) -> str:
    return NOTHING if rate_per_s is None else format_rate(rate_per_s)


def _spread(runs: tuple[RunRecord, ...]) -> str:
    """How far the runs agree, where more than one of them held a load."""
    held = [run.sustainable_per_s for run in runs if run.sustainable_per_s is not None]
    if len(held) < 2:  # noqa: PLR2004
        return ""
    low, high = min(held), max(held)
    return (
        f"The highest load that held was {format_rate(low)}/s in the lowest run and "
        f"{format_rate(high)}/s in the highest: {100.0 * (high / low - 1.0):.3g} % apart."
    )
