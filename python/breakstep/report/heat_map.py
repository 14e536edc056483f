"""The heat map of response times: columns of time, rows of a tenth of a decade, shades of a share.

A shade is a bucket's share of its column, so that a light load can be read as well as a heavy one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from breakstep.model.units import NS_PER_MS
from breakstep.report.axis import BOTTOM, TOP, Axis, Tick
from breakstep.report.columns import duration
from breakstep.report.geometry import Geometry
from breakstep.report.timeline import Timeline
from breakstep.report.trace import WIDE
from breakstep.store.response_columns import PER_DECADE, ResponseColumn, edge_ns

SHADES = (0.0, 0.01, 0.05, 0.15, 0.35)
"""Lower edges of the shades; a bucket with nothing in it has none."""
SHADE_NAMES = ("under 1 %", "1–5 %", "5–15 %", "15–35 %", "over 35 %")


@dataclass(frozen=True, slots=True)
class HeatMap:
    """What there is to draw. Cells are in thousandths of the time axis and in rows from the top."""

    rows: int
    paths: tuple[Geometry, ...]
    """The cells of each shade, palest first: level strokes through the middle of their row."""
    y_ticks: tuple[Tick, ...]
    bounds: tuple[Tick, ...]
    column_label: str
    says: str


def heat_map(
    columns: Sequence[ResponseColumn], timeline: Timeline, bounds_ms: Mapping[str, float]
) -> HeatMap | None:
    """The heat map; None where nothing was answered."""
    counts = np.array([column.counts for column in columns], dtype=np.int64)
    used = np.flatnonzero(counts.any(axis=0)) if len(columns) else np.array([], dtype=np.intp)
    if not len(used):
        return None
    low, high = int(used[0]), int(used[-1])
    y = Axis(edge_ns(low - 1) / NS_PER_MS, edge_ns(high) / NS_PER_MS, BOTTOM, TOP, log=True)
    shades = _shades(counts[:, low : high + 1])
    column_s = max(column.to_s - column.from_s for column in columns)
    return HeatMap(
        rows=high + 1 - low,
        paths=tuple(
            Geometry("".join(_cells(shades == shade, columns, timeline)))
            for shade in range(len(SHADES))
        ),
        y_ticks=y.labelled(duration),
        bounds=tuple(Tick(y.at(ms), slo) for slo, ms in bounds_ms.items() if y.low <= ms <= y.high),
        column_label=duration(1000.0 * column_s),
        says=f"Response times from {duration(y.low)} to {duration(y.high)} on a logarithmic axis, "
        f"{PER_DECADE} rows a decade.",
    )


def _shades(counts: NDArray[np.int64]) -> NDArray[np.intp]:
    """The shade of each cell; −1 where there is nothing."""
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return np.where(counts > 0, np.searchsorted(SHADES, shares, side="right") - 1, -1)


def _cells(
    its: NDArray[np.bool_], columns: Sequence[ResponseColumn], timeline: Timeline
) -> Iterator[str]:
    """The cells of a shade, neighbours in one stroke."""
    places = [(_place(timeline, c.from_s), _place(timeline, c.to_s)) for c in columns]
    rows = its.shape[1]
    for row in range(rows):
        for start, end in _joined([places[k] for k in np.flatnonzero(its[:, row])]):
            yield f"M{start} {rows - row - 0.5:g}h{end - start}"


def _joined(places: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Places that touch, as one."""
    held: tuple[int, int] | None = None
    for start, end in places:
        if held is not None and start <= held[1]:
            held = (held[0], end)
            continue
        if held is not None:
            yield held
        held = (start, end)
    if held is not None:
        yield held


def _place(timeline: Timeline, at_s: float) -> int:
    return round(WIDE / 100.0 * timeline.at(at_s))
