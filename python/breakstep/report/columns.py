"""The columns of a table of steps, the same on a terminal and on a page."""

from collections.abc import Callable
from dataclasses import dataclass

from breakstep.analysis.words import counted
from breakstep.model.record import StepRecord
from breakstep.model.units import NS_PER_MS, format_duration, format_rate

NOTHING = "–"


@dataclass(frozen=True, slots=True)
class Column:
    """One column; those with the highest `spare` are left out first where there is no room."""

    name: str
    unit: str
    cell: Callable[[StepRecord], str]
    spare: int = 0


def duration(value_ms: float | None) -> str:
    """A duration with its unit, or a dash where nothing was recorded."""
    return NOTHING if value_ms is None else format_duration(value_ms * NS_PER_MS)


def share(value: float) -> str:
    """A share in percent, to a tenth.

    >>> share(0.0123)
    '1.2 %'
    """
    return f"{100 * value:.1f} %"


def errors_share(step: StepRecord) -> float:
    """The share of the step's arrivals that did not end ok."""
    return 1.0 - step.ok / step.arrivals if step.arrivals else 0.0


COLUMNS = (
    Column("offered", "/s", lambda step: format_rate(step.offered_per_s)),
    Column("sent", "/s", lambda step: format_rate(step.sent_per_s), spare=7),
    Column("completed", "/s", lambda step: format_rate(step.completed_per_s), spare=3),
    Column("goodput", "/s", lambda step: format_rate(step.goodput_per_s)),
    Column("p50", "", lambda step: duration(step.response_ms.p50), spare=4),
    Column("p95", "", lambda step: duration(step.response_ms.p95)),
    Column("p99", "", lambda step: duration(step.response_ms.p99), spare=1),
    Column("errors", "", lambda step: share(errors_share(step))),
    Column("in flight", "at end", lambda step: counted(step.in_flight.end), spare=5),
    Column("late", "p99", lambda step: duration(step.lateness_ms.p99), spare=2),
    Column("generator", "CPU", lambda step: share(step.generator.cpu_share), spare=6),
    Column("verdict", "", lambda step: step.verdict.name),
)


def reason(step: StepRecord) -> str | None:
    """Why the step did not pass, or None if it did."""
    if step.verdict.name == "pass":
        return None
    reasons = list(step.verdict.reasons)
    if step.cut_short is not None and step.cut_short not in reasons:
        reasons.append(f"cut short: {step.cut_short}")
    return f"{format_rate(step.offered_per_s)}/s {step.verdict.name}: {'; '.join(reasons)}"
