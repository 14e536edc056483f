"""The lateness ledger: what became of the arrivals of every step, and how late they left."""

from breakstep.analysis.words import counted
from breakstep.model.record import StepRecord
from breakstep.model.units import format_rate
from breakstep.report.columns import NOTHING, duration
from breakstep.report.late import late_count
from breakstep.report.page import Material, Values
from breakstep.report.page_table import Row, page_table
from breakstep.report.sections.numbered import numbered, run_column

CAUSES_MAX = 3
_COLUMNS = (
    ("step", "offered /s"),
    ("planned", ""),
    ("sent", ""),
    ("late", "over 1 ms"),
    ("late by", "p99"),
    ("of it ours", "p99"),
    ("dropped", ""),
    ("failed", ""),
    ("unfinished", ""),
    ("why", ""),
)


def ledger(material: Material) -> Values | None:
    """A row for each step; None without steps."""
    result = material.result
    if not result.steps:
        return None
    rows = [Row((*run, *_cells(step))) for run, step in numbered(result)]
    columns = (*run_column(result), *_COLUMNS)
    return {"table": page_table("Arrivals of each step's window", columns, rows, ("why",))}


def _cells(step: StepRecord) -> tuple[str, ...]:
    dropped = step.outcomes.get("dropped", 0)
    return (
        format_rate(step.offered_per_s),
        counted(step.arrivals),
        counted(step.sent),
        late_count(step.lateness_ms),
        duration(step.lateness_ms.p99),
        duration(step.generator_lag_ms.p99),
        counted(dropped),
        counted(_failed(step)),
        counted(_unfinished(step)),
        _why(step) or NOTHING,
    )


def _failed(step: StepRecord) -> int:
    return sum(n for name, n in step.outcomes.items() if name not in {"ok", "dropped"})


def _unfinished(step: StepRecord) -> int:
    return step.arrivals - sum(step.outcomes.values())


def _why(step: StepRecord) -> str:
    """What went wrong, the most frequent first: outcomes, and the causes behind them."""
    outcomes = {name: n for name, n in step.outcomes.items() if name != "ok" and n}
    return "; ".join(text for text in (_most(outcomes), _most(step.causes)) if text)


def _most(counts: object) -> str:
    if not isinstance(counts, dict):
        return ""
    most = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    shown = [f"{name.replace('_', ' ')} {counted(n)}" for name, n in most[:CAUSES_MAX]]
    rest = len(most) - len(shown)
    return ", ".join([*shown, *([f"{rest} more kinds"] if rest > 0 else [])])
