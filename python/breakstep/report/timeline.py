"""The time axis that all drawings of a run share, with the windows of its steps."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from breakstep.model.record import Result
from breakstep.model.units import format_rate
from breakstep.report.axis import LEFT, RIGHT, Axis, Tick, multiples
from breakstep.report.geometry import Geometry
from breakstep.store.intervals_csv import IntervalRow

TICKS_MAX = 8
SIGNS = {"fail": "✕", "undecided": "△", "invalid": "□"}
NARROW = 7.0
"""A band of less than these percent has no room for its load on a small screen."""
TOO_NARROW = 2.5
"""And less than these on none."""
_STEPS_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400)


@dataclass(frozen=True, slots=True)
class Band:
    """The window of a step on the axis."""

    start: float
    width: float
    label: str
    verdict: str

    @property
    def middle(self) -> float:
        """Where its label stands."""
        return round(self.start + self.width / 2.0, 2)

    @property
    def room(self) -> str:
        """Whether its label fits: `wide`, `narrow` on large screens only, or `none`."""
        return "none" if self.width < TOO_NARROW else "narrow" if self.width < NARROW else "wide"


@dataclass(frozen=True, slots=True)
class Timeline:
    """From the first second of a run to its last; times are seconds since 1970."""

    from_s: float
    to_s: float
    bands: tuple[Band, ...]

    def at(self, at_s: float) -> float:
        """Where an instant lies, in percent."""
        return self._axis().at(at_s - self.from_s)

    @property
    def areas(self) -> tuple[tuple[str, Geometry], ...]:
        """The bands of each verdict as one path, in thousandths and hundredths of a drawing."""
        verdicts = dict.fromkeys(band.verdict for band in self.bands)
        return tuple((verdict, Geometry("".join(self._areas(verdict)))) for verdict in verdicts)

    @property
    def labelled(self) -> tuple[Band, ...]:
        """The bands that have anything to write: room for their load, or a verdict to tell."""
        return tuple(band for band in self.bands if band.room != "none" or band.verdict in SIGNS)

    @property
    def signs(self) -> Mapping[str, str]:
        """What tells a verdict without colour."""
        return SIGNS

    def _areas(self, verdict: str) -> Iterator[str]:
        for band in self.bands:
            if band.verdict == verdict:
                yield f"M{10 * band.start:.0f} 0h{10 * band.width:.1f}v100h{-10 * band.width:.1f}z"

    def ticks(self) -> tuple[Tick, ...]:
        """A few round times since the start."""
        length_s = self.to_s - self.from_s
        step_s = next((s for s in _STEPS_S if length_s / s <= TICKS_MAX), _STEPS_S[-1])
        axis = self._axis()
        return tuple(Tick(axis.at(at), elapsed(at)) for at in multiples(step_s, 0.0, length_s))

    def _axis(self) -> Axis:
        return Axis(0.0, self.to_s - self.from_s, LEFT, RIGHT)


def timeline_of(result: Result, rows: Sequence[IntervalRow]) -> Timeline | None:
    """The axis of a run; None where its seconds were not kept."""
    if not rows:
        return None
    from_s, to_s = rows[0].from_s, max(row.to_s for row in rows)
    if to_s <= from_s:
        return None
    bare = Timeline(from_s, to_s, ())
    return Timeline(from_s, to_s, tuple(_bands(result, bare)))


def elapsed(seconds: float) -> str:
    """A time since the start.

    >>> elapsed(0), elapsed(45), elapsed(90), elapsed(5400)
    ('0', '45 s', '1:30 min', '1:30 h')
    """
    if seconds < 60.0:  # noqa: PLR2004  a minute
        return f"{seconds:.0f} s" if seconds else "0"
    large, small = divmod(round(seconds), 60)
    if large < 60:  # noqa: PLR2004  an hour
        return f"{large}:{small:02} min" if small else f"{large} min"
    hours, minutes = divmod(large, 60)
    return f"{hours}:{minutes:02} h"


def _bands(result: Result, timeline: Timeline) -> list[Band]:
    return [
        Band(
            start=start,
            width=round(timeline.at(step.window_to) - start, 2),
            label=format_rate(step.offered_per_s),
            verdict=step.verdict.name,
        )
        for step in result.steps
        for start in (timeline.at(step.window_from),)
    ]
