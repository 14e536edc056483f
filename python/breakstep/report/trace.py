"""A series over time as the path of a line, with no more points than a screen can show."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from breakstep.report.geometry import Geometry
from breakstep.report.timeline import Timeline

WIDE, HIGH = 1000, 100
"""Places of a path are whole numbers: from the left in thousandths, from the top in hundredths."""
BINS = 250
"""Of each of these stretches the lowest and the highest value are kept: no peak is lost."""
GAP_TIMES = 2.5
"""Samples further apart than this many usual distances are not joined."""


def trace(
    at_s: NDArray[np.float64],
    values: NDArray[np.float64],
    timeline: Timeline,
    top: float,
    apart_s: float | None = None,
) -> Geometry:
    """The path of a line from zero to `top`; empty without a finite value.

    What lies further apart than `apart_s` is not joined.
    """
    known = np.isfinite(values)
    at_s, values = at_s[known], values[known]
    if not len(values):
        return Geometry()
    breaks = _breaks(at_s, apart_s)
    x = WIDE * (at_s - timeline.from_s) / (timeline.to_s - timeline.from_s)
    y = HIGH * (1.0 - np.clip(values / top, 0.0, 1.0))
    kept = _kept(x, y)
    pieces = np.searchsorted(breaks, kept, side="right")
    places = zip(np.rint(x[kept]).astype(int), np.rint(y[kept]).astype(int), strict=True)
    return _path(zip(pieces.tolist(), places, strict=True))


def _breaks(at_s: NDArray[np.float64], apart_s: float | None) -> NDArray[np.intp]:
    """The indices before which the line is interrupted."""
    gaps = np.diff(at_s)
    if apart_s is None:
        apart_s = GAP_TIMES * float(np.median(gaps)) if len(gaps) else 0.0
    return np.flatnonzero(gaps > apart_s) + 1


def _kept(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.intp]:
    """The indices of the points to draw."""
    if len(x) <= 2 * BINS:
        return np.arange(len(x))
    bins = np.clip((x * BINS / WIDE).astype(int), 0, BINS - 1)
    starts = np.flatnonzero(np.diff(bins, prepend=-1))
    ends = [*starts[1:].tolist(), len(x)]
    kept = {
        low + int(find(y[low:high]))
        for low, high in zip(starts.tolist(), ends, strict=True)
        for find in (np.argmin, np.argmax)
    }
    return np.array(sorted(kept), dtype=np.intp)


def _path(points: Iterable[tuple[int, tuple[int, int]]]) -> Geometry:
    """Points with the number of their piece as a path; a level stretch needs only its ends."""
    pieces: dict[int, list[tuple[int, int]]] = {}
    for piece, place in points:
        pieces.setdefault(piece, []).append(place)
    return Geometry("".join(_piece(places) for places in pieces.values()))


def _piece(places: Sequence[tuple[int, int]]) -> str:
    inner = [
        here
        for before, here, after in zip(places, places[1:], places[2:], strict=False)
        if not before[1] == here[1] == after[1]
    ]
    first, rest = places[0], [*inner, places[-1]]
    # A lone sample is drawn as a dot: a line to itself, with round ends.
    return f"M{first[0]} {first[1]}" + "".join(f"L{x} {y}" for x, y in rest)
