"""`intervals.csv`: one row for each second of a run, in the order the seconds were finished.

Times are seconds since 1970, durations ms. By intended start: arrivals, outcomes, response and
lateness. By the instant of sending: `sent`. By the instant of completion: `completed`, `good`.
"""

from dataclasses import dataclass
from typing import Literal

from breakstep.analysis.measured import Histogram, Tally
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


def _quantile_ms(histogram: Histogram, quantile: float) -> str | None:
    if histogram.count == 0:
        return None
    return f"{histogram.quantile_ns(quantile) / NS_PER_MS:.3f}"
