"""The signals of the server as small drawings on one time axis: which, in what order, how many.

The source that the diagnosis names comes first, and of each source what tells most. Parts of a
whole, such as the CPU of each thread, are drawn where the diagnosis names them or their source. A
signal that never moved is said in words, and so are those beyond the number that anybody reads.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from breakstep.analysis.signals import Series
from breakstep.model.finding import Finding
from breakstep.model.signal import Signal, base_name, label_of
from breakstep.report.around_break import UTILISATION, is_whole
from breakstep.report.geometry import Geometry
from breakstep.report.quantity import extent, quantity
from breakstep.report.timeline import Timeline
from breakstep.report.trace import trace

PANELS_MAX = 36
PARTS_MAX = 8
"""Of the parts of a source the busiest."""
WORDS_MAX = 60
"""More signals that are not drawn are only counted."""
HALF = 0.5


@dataclass(frozen=True, slots=True)
class Panel:
    """One signal over the run."""

    name: str
    source: str
    extent: str
    path: Geometry


@dataclass(frozen=True, slots=True)
class Group:
    """The panels of one source."""

    source: str
    named: bool
    panels: tuple[Panel, ...]


@dataclass(frozen=True, slots=True)
class Panels:
    """The drawings, and in words what was not drawn."""

    groups: tuple[Group, ...]
    still: tuple[str, ...]
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Named:
    """What a diagnosis speaks of."""

    resource: str
    evidence: tuple[str, ...]

    def source(self, signal: Signal) -> bool:
        return bool(signal.source) and signal.source in self.resource

    def part(self, signal: Signal) -> bool:
        its = f"{signal.source} {signal.name}"
        return any(text.startswith(its) for text in self.evidence)


def panels(series: Sequence[Series], timeline: Timeline, finding: Finding | None) -> Panels | None:
    """What to show of the signals; None where there are none in the run's time."""
    inside = [_finite(one.within(timeline.from_s, timeline.to_s)) for one in series]
    seen = [one for one in inside if len(one.values)]
    if not seen:
        return None
    named = _named(finding)
    ordered = sorted(seen, key=lambda one: _order(one.signal, named))
    moving = [one for one in ordered if _moves(one)]
    shown = _chosen(moving, named)
    drawn = {one.signal for one in shown}
    return Panels(
        groups=tuple(_groups(shown, timeline, named)),
        still=_in_words([_still(one) for one in ordered if not _moves(one)]),
        left_out=_in_words(_counted([one for one in moving if one.signal not in drawn])),
    )


def _named(finding: Finding | None) -> _Named:
    if finding is None:
        return _Named("", ())
    return _Named(finding.resource or "", tuple(row.signal for row in finding.evidence))


def _moves(series: Series) -> bool:
    return bool(series.values.min() < series.values.max())


def _order(signal: Signal, named: _Named) -> tuple[bool, bool, str, bool, int, str]:
    """The named source, then the others by name, the generator last; wholes before parts."""
    telling = (signal.kind, base_name(signal.name))
    rank = UTILISATION.index(telling) if telling in UTILISATION else len(UTILISATION)
    return (
        not named.source(signal),
        signal.kind == "generator",
        signal.source,
        not is_whole(signal),
        rank,
        signal.name,
    )


def _chosen(ordered: Sequence[Series], named: _Named) -> list[Series]:
    """Those to draw, in their order."""
    parts = [one for one in ordered if not is_whole(one.signal) and named.source(one.signal)]
    busiest = sorted(parts, key=lambda one: -float(one.values.mean()))[:PARTS_MAX]
    drawn = {one.signal for one in busiest}
    chosen = [
        one
        for one in ordered
        if is_whole(one.signal) or one.signal in drawn or named.part(one.signal)
    ]
    return chosen[:PANELS_MAX]


def _finite(series: Series) -> Series:
    known = np.isfinite(series.values)
    return Series(series.signal, series.at_s[known], series.values[known])


def _groups(shown: Sequence[Series], timeline: Timeline, named: _Named) -> list[Group]:
    by_source = groupby(shown, key=lambda one: one.signal.source)
    grouped = [(source, list(its)) for source, its in by_source]
    return [
        Group(source, named.source(its[0].signal), tuple(_panel(one, timeline) for one in its))
        for source, its in grouped
    ]


def _panel(series: Series, timeline: Timeline) -> Panel:
    signal, values = series.signal, series.values
    low, high = float(values.min()), float(values.max())
    # A share beyond one half is shown against the whole, a smaller one against its own highest.
    top = 1.0 if signal.unit == "share" and HALF < high <= 1.0 else high
    return Panel(
        name=signal.name,
        source=signal.source,
        extent=extent(low, high, signal.unit),
        path=trace(series.at_s, values, timeline, top if top > 0.0 else 1.0),
    )


def _still(series: Series) -> str:
    value = quantity(float(series.values[0]), series.signal.unit)
    return f"{series.signal.source} {series.signal.name} {value}"


def _counted(series: Sequence[Series]) -> list[str]:
    """Series by source and name; those alike but for their labels together."""
    alike = Counter(
        f"{one.signal.source} {base_name(one.signal.name)}{_of_each(one.signal)}" for one in series
    )
    return [name if count == 1 else f"{name} ({count})" for name, count in alike.items()]


def _of_each(signal: Signal) -> str:
    label = label_of(signal.name).partition("=")[0]
    return f" of each {label}" if label else ""


def _in_words(names: Sequence[str]) -> tuple[str, ...]:
    if len(names) <= WORDS_MAX:
        return tuple(names)
    return (*names[:WORDS_MAX], f"and {len(names) - WORDS_MAX} more")
