"""`intervals.csv`: one row for each second of a run, in the order the seconds were finished.

Times are seconds since 1970, durations ms. By intended start: arrivals, outcomes, response and
lateness. By the instant of sending: `sent`. By the instant of completion: `completed`, `good`.
"""

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from breakstep.analysis.measured import Histogram, Tally
from breakstep.model.errors import StoreError
from breakstep.model.outcome import OUTCOMES
from breakstep.model.units import NS_PER_MS, NS_PER_S

Phase = Literal["ramp", "warmup", "hold", "drain"]
Cell = str | int | float | None

COLUMNS = (
    "from",
    "to",
    "run",
    "step",
    "phase",
    "arrivals",
    *OUTCOMES,
    "sent",
    "completed",
    "good",
    "response_p50_ms",
    "response_p95_ms",
    "response_p99_ms",
    "response_max_ms",
    "lateness_p50_ms",
    "lateness_p99_ms",
    "in_flight_end",
    "generator_cpu_share",
)


@dataclass(frozen=True, slots=True)
class Span:
    """Which second a tally is of. `in_flight_end` is None where nobody counted."""

    from_s: float
    to_s: float
    step: int
    phase: Phase
    in_flight_end: int | None
    run: int = 0


def row(span: Span, tally: Tally) -> tuple[Cell, ...]:
    """The cells of one second, in the order of COLUMNS."""
    response, lateness = tally.response(), tally.histogram("lateness")
    length_ns = (span.to_s - span.from_s) * NS_PER_S
    outcomes = tally.outcomes
    return (
        f"{span.from_s:.3f}",
        f"{span.to_s:.3f}",
        span.run,
        span.step,
        span.phase,
        tally.arrivals,
        *(outcomes[outcome] for outcome in OUTCOMES),
        tally.sent,
        tally.completed,
        tally.good,
        *(_quantile_ms(response, quantile) for quantile in (0.50, 0.95, 0.99, 1.0)),
        *(_quantile_ms(lateness, quantile) for quantile in (0.50, 0.99)),
        span.in_flight_end,
        f"{tally.cpu_ns / length_ns:.3f}" if length_ns > 0 else None,
    )


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """A second as the file has it, as far as a report needs it; None where a cell is empty."""

    from_s: float
    to_s: float
    run: int
    step: int
    phase: Phase
    arrivals: int
    failed: int
    completed: int
    response_p50_ms: float | None
    response_p95_ms: float | None
    response_p99_ms: float | None
    response_max_ms: float | None
    in_flight_end: int | None


def read_intervals(path: Path) -> tuple[IntervalRow, ...]:
    """The seconds of a run by time. Raises StoreError.

    A last line that was being written when the run was killed is passed over.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return rows_of(csv.DictReader(file), str(path))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise StoreError(f"cannot read {path}: {error}") from error


def rows_of(lines: Iterable[Mapping[str, str | None]], path: str) -> tuple[IntervalRow, ...]:
    """The rows of a file's lines, by name of column. Raises StoreError."""
    rows: list[IntervalRow] = []
    broken: int | None = None
    for number, line in enumerate(lines, start=2):
        if broken is not None:
            raise StoreError(f"{path} is damaged in line {broken}: it lacks columns or numbers")
        try:
            rows.append(_interval_row(line))
        except (KeyError, TypeError, ValueError):
            broken = number
    return tuple(sorted(rows, key=lambda found: (found.from_s, found.to_s)))


def _interval_row(line: Mapping[str, str | None]) -> IntervalRow:
    cells = {name: line[name] or "" for name in COLUMNS}
    return IntervalRow(
        from_s=float(cells["from"]),
        to_s=float(cells["to"]),
        run=int(cells["run"]),
        step=int(cells["step"]),
        phase=cast("Phase", cells["phase"]),
        arrivals=int(cells["arrivals"]),
        failed=sum(int(cells[outcome]) for outcome in OUTCOMES if outcome != "ok"),
        completed=int(cells["completed"]),
        response_p50_ms=_number(cells["response_p50_ms"]),
        response_p95_ms=_number(cells["response_p95_ms"]),
        response_p99_ms=_number(cells["response_p99_ms"]),
        response_max_ms=_number(cells["response_max_ms"]),
        in_flight_end=int(cells["in_flight_end"]) if cells["in_flight_end"] else None,
    )


def _number(cell: str) -> float | None:
    return float(cell) if cell else None


def _quantile_ms(histogram: Histogram, quantile: float) -> str | None:
    if histogram.count == 0:
        return None
    return f"{histogram.quantile_ns(quantile) / NS_PER_MS:.3f}"
