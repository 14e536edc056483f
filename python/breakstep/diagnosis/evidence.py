"""Rows of evidence: a number, where it was seen, and what it says."""

from breakstep.analysis.words import percent
from breakstep.diagnosis.candidate import Saturation
from breakstep.diagnosis.track import Point, Track
from breakstep.model.finding import Evidence
from breakstep.model.units import NS_PER_S, format_duration, format_rate

DIGITS = 6
_SUFFIX = {"cores": " cores", "tasks": " tasks", "connections": " connections", "ms": " ms"}


def row(track: Track, point: Point, says: str) -> Evidence:
    """A row about one point of a track; `says` follows the number and the load."""
    return fact(track.title, point.value, track.unit, point.step, f"{_at(track, point)}, {says}")


def fact(signal: str, value: float, unit: str, step: int | None, says: str) -> Evidence:
    """A row with its number rounded as the files are."""
    return Evidence(signal, float(f"{value:.{DIGITS}g}"), unit, step, says)


def rows_about(
    found: Saturation, use: Track, what: str, places: float = 1.0
) -> tuple[Evidence, ...]:
    """What forecast and onset say of a resource; nothing where they were not to be had.

    A resource of so many places is taken up by a request for a place's time.
    """
    rows: list[Evidence] = []
    demand, step = found.demand, found.peak.step
    if demand is not None:
        low, high = demand.interval_per_s
        rows.append(
            fact(
                f"{use.title} forecast",
                demand.saturates_per_s,
                "1/s",
                None,
                f"at light loads each request takes "
                f"{per_request(places * demand.per_request, what)}, "
                f"which fills it at {rate(demand.saturates_per_s)} ({rate(low)} to {rate(high)})",
            )
        )
    if demand is not None and demand.bends:
        rows.append(
            fact(
                f"{use.title} forecast",
                demand.per_request,
                "s",
                step,
                "a request takes more of it the higher the load: contention",
            )
        )
    if found.onset_per_s is not None:
        rows.append(
            fact(
                f"{use.title} onset",
                found.onset_per_s,
                "1/s",
                step,
                f"its queue began to form at {rate(found.onset_per_s)}",
            )
        )
    return tuple(rows)


def per_request(share_s: float, what: str) -> str:
    """A demand in words.

    >>> per_request(0.0055, "the loop")
    '5.5 ms of the loop'
    """
    return f"{format_duration(share_s * NS_PER_S)} of {what}"


def rate(per_s: float) -> str:
    """A rate with its unit."""
    return f"{format_rate(per_s)}/s"


def shown(value: float, unit: str) -> str:
    """A value as people read it.

    >>> shown(0.973, "share"), shown(1.0312, "cores"), shown(12, "count")
    ('97.3 %', '1.03 cores', '12')
    """
    if unit == "share":
        return percent(value)
    if unit == "1/s":
        return rate(value)
    return f"{value:.3g}{_SUFFIX.get(unit, '')}"


def _at(track: Track, point: Point) -> str:
    return f"{shown(point.value, track.unit)} at {rate(point.per_s)}"
