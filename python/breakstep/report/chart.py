"""The two drawings of the curve as plain geometry; the template turns it into SVG."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import median

from breakstep.model.record import Answer, StepRecord
from breakstep.model.slo import Slo, parse_slo
from breakstep.model.units import NS_PER_MS, format_rate
from breakstep.report.axis import (
    BOTTOM,
    LEFT,
    RIGHT,
    TOP,
    Axis,
    Tick,
    duration_axis,
    polyline,
    rate_axis,
)
from breakstep.report.columns import duration, reason
from breakstep.report.geometry import Geometry


@dataclass(frozen=True, slots=True)
class Line:
    """A series: its name, its class in the style sheet, its points as SVG wants them."""

    name: str
    kind: str
    points: Geometry


@dataclass(frozen=True, slots=True)
class Mark:
    """A step's verdict on the drawing."""

    x: float
    y: float
    verdict: str
    says: str


@dataclass(frozen=True, slots=True)
class Interval:
    """A stretch of an axis, such as that of the knee, and its best guess if there is one."""

    start: float
    width: float
    middle: float | None


@dataclass(frozen=True, slots=True)
class Chart:
    """Everything there is to draw. `name` tells it from the other drawings of a page."""

    name: str
    title: str
    says: str
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    lines: tuple[Line, ...]
    marks: tuple[Mark, ...]
    bounds: tuple[Tick, ...] = ()
    knee: Interval | None = None


def charts(steps: Sequence[StepRecord], answer: Answer) -> list[Chart]:
    """Both drawings with the knee in them, as far as there is anything to draw."""
    drawn = (goodput_chart(steps), response_chart(steps))
    return [
        replace(chart, knee=_knee(answer, _load_axis(steps)))
        for chart in drawn
        if chart is not None
    ]


def goodput_chart(steps: Sequence[StepRecord]) -> Chart | None:
    """Offered load against goodput; None without steps."""
    if not steps:
        return None
    ordered = _by_rate(steps)
    x = _load_axis(ordered)
    highest = max(max(step.offered_per_s, step.goodput_per_s) for step in ordered)
    y = rate_axis([highest], BOTTOM, TOP, from_zero=True)
    best = max(ordered, key=lambda step: step.goodput_per_s)
    return Chart(
        "goodput",
        "Goodput, requests a second",
        f"{_loads(ordered)}. The highest goodput was {format_rate(best.goodput_per_s)}/s, "
        f"at {format_rate(best.offered_per_s)}/s offered.",
        x.labelled(format_rate),
        y.labelled(format_rate),
        (
            _line("offered", "offered", [(s, s.offered_per_s) for s in ordered], x, y),
            _line("goodput", "goodput", [(s, s.goodput_per_s) for s in ordered], x, y),
        ),
        tuple(_mark(step, step.goodput_per_s, x, y) for step in ordered),
    )


def response_chart(steps: Sequence[StepRecord]) -> Chart | None:
    """Response-time quantiles and the bounds of the SLOs; None without responses."""
    ordered = [step for step in _by_rate(steps) if step.response_ms.count]
    if not ordered:
        return None
    x = _load_axis(steps)
    series = {
        name: [(s, value) for s in ordered if (value := getattr(s.response_ms, name)) is not None]
        for name in ("p50", "p95", "p99")
    }
    bounds = latency_bounds(ordered)
    values = [value for points in series.values() for _, value in points]
    y = duration_axis([*values, *bounds.values()], BOTTOM, TOP)
    first, last = ordered[0], ordered[-1]
    return Chart(
        "response",
        "Response time from the intended start",
        f"{_loads(ordered)}, on a logarithmic axis. p95 was {duration(first.response_ms.p95)} at "
        f"{format_rate(first.offered_per_s)}/s and {duration(last.response_ms.p95)} at "
        f"{format_rate(last.offered_per_s)}/s.",
        x.labelled(format_rate),
        y.labelled(duration),
        tuple(_line(name, name, points, x, y) for name, points in series.items()),
        tuple(_mark(step, step.response_ms.p95 or y.low, x, y) for step in ordered),
        tuple(Tick(y.at(limit), slo) for slo, limit in bounds.items()),
    )


def _by_rate(steps: Sequence[StepRecord]) -> list[StepRecord]:
    return sorted(steps, key=lambda step: (step.offered_per_s, step.index))


def _load_axis(steps: Sequence[StepRecord]) -> Axis:
    return rate_axis((step.offered_per_s for step in steps), LEFT, RIGHT, from_zero=False)


def _loads(ordered: Sequence[StepRecord]) -> str:
    low, high = ordered[0].offered_per_s, ordered[-1].offered_per_s
    steps = "1 step" if len(ordered) == 1 else f"{len(ordered)} steps"
    return f"{steps} from {format_rate(low)}/s to {format_rate(high)}/s offered"


def latency_bounds(steps: Sequence[StepRecord]) -> dict[str, float]:
    """The bounds on the response times of all requests, ms, by how they are written."""
    written = {criterion.slo for step in steps for criterion in step.verdict.criteria}
    slos = {text: slo for text in sorted(written) if (slo := _slo(text)) is not None}
    drawn = {t: slo for t, slo in slos.items() if slo.kind == "latency" and slo.request is None}
    return {text: slo.bound_ns / NS_PER_MS for text, slo in drawn.items()}


def _slo(text: str) -> Slo | None:
    """None where a result of another version has SLOs that are not known here."""
    try:
        return parse_slo(text)
    except ValueError:
        return None


def _knee(answer: Answer, x: Axis) -> Interval | None:
    """Where the service breaks; where only its edges are known, between them."""
    edges = answer.knee_interval_per_s or (answer.sustainable_per_s, answer.broken_per_s)
    if edges[0] is None or edges[1] is None:
        return None
    low, high = x.at(edges[0]), x.at(edges[1])
    middle = None if answer.knee_per_s is None else x.at(answer.knee_per_s)
    return Interval(low, round(high - low, 2), middle)


def _line(
    name: str, kind: str, points: Sequence[tuple[StepRecord, float]], x: Axis, y: Axis
) -> Line:
    """Through the median of the steps of each load: a load may be offered again and again."""
    by_rate = groupby(points, key=lambda point: point[0].offered_per_s)
    medians = [(rate, median(value for _, value in its)) for rate, its in by_rate]
    return Line(name, kind, polyline([(x.at(rate), y.at(value)) for rate, value in medians]))


def _mark(step: StepRecord, value: float, x: Axis, y: Axis) -> Mark:
    says = reason(step) or f"{format_rate(step.offered_per_s)}/s pass"
    return Mark(x.at(step.offered_per_s), y.at(value), step.verdict.name, says)
