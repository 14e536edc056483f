"""What the load and the response times did, second by second, as small drawings."""

from collections.abc import Callable, Sequence

import numpy as np

from breakstep.report.panels import Panel
from breakstep.report.quantity import extent
from breakstep.report.timeline import Timeline
from breakstep.report.trace import trace
from breakstep.store.intervals_csv import IntervalRow

SHORTEST_S = 0.25
"""A row of less is the rest of a second at the edge of a step: its rates mean little."""
APART_S = 1.3
"""The middles of two seconds are a second apart; what is more had no load between."""
_Read = Callable[[IntervalRow], float | None]
_RATE = "1/s"
_SHOWN: Sequence[tuple[str, str, _Read]] = (
    ("offered", _RATE, lambda row: row.arrivals / (row.to_s - row.from_s)),
    ("completed", _RATE, lambda row: row.completed / (row.to_s - row.from_s)),
    ("response time p50", "ms", lambda row: row.response_p50_ms),
    ("response time p95", "ms", lambda row: row.response_p95_ms),
    ("in flight", "count", lambda row: row.in_flight_end),
    ("failed", _RATE, lambda row: row.failed / (row.to_s - row.from_s)),
)


def run_panels(rows: Sequence[IntervalRow], timeline: Timeline) -> list[Panel]:
    """The drawings of what is known; nothing failed is no drawing."""
    whole = [row for row in rows if row.to_s - row.from_s >= SHORTEST_S]
    found = [_panel(name, unit, read, whole, timeline) for name, unit, read in _SHOWN]
    return [panel for panel in found if panel is not None]


def _panel(
    name: str, unit: str, read: _Read, rows: Sequence[IntervalRow], timeline: Timeline
) -> Panel | None:
    known = [(row, value) for row in rows if (value := read(row)) is not None]
    values = np.array([value for _, value in known], dtype=np.float64)
    if not len(values) or not values.any():
        return None
    at_s = np.array([(row.from_s + row.to_s) / 2.0 for row, _ in known])
    high = float(values.max())
    return Panel(
        name=name,
        source="",
        extent=extent(float(values.min()), high, unit),
        path=trace(at_s, values, timeline, high, APART_S),
    )
