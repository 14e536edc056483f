"""The two drawings of a report as plain geometry; the template turns it into SVG."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from breakstep.model.record import StepRecord
from breakstep.model.units import format_rate
from breakstep.report.axis import Axis, duration_axis, rate_axis
from breakstep.report.columns import duration, reason

WIDTH, HEIGHT = 440, 290
LEFT, RIGHT, TOP, BOTTOM = 58, 428, 12, 250


@dataclass(frozen=True, slots=True)
class Tick:
    """A round value on an axis, and where it lies."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Line:
    """A series: its name, its class in the style sheet, its points as SVG wants them."""

    name: str
    kind: str
    points: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A step's verdict on the drawing."""

    x: float
    y: float
    verdict: str
    says: str


@dataclass(frozen=True, slots=True)
class Chart:
    """Everything there is to draw."""

    title: str
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    lines: tuple[Line, ...]
    marks: tuple[Mark, ...]
    bounds: tuple[Tick, ...] = ()


def goodput_chart(steps: Sequence[StepRecord]) -> Chart | None:
    """Offered load against goodput; None without steps."""
    if not steps:
        return None
    ordered = _by_rate(steps)
    x = _load_axis(ordered)
    highest = max(max(step.offered_per_s, step.goodput_per_s) for step in ordered)
    y = rate_axis([highest], BOTTOM, TOP, from_zero=True)
    return Chart(
        "Goodput, requests a second",
        _ticks(x, format_rate),
        _ticks(y, format_rate),
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
    x = _load_axis(ordered)
    series = {
        name: [(s, value) for s in ordered if (value := getattr(s.response_ms, name)) is not None]
        for name in ("p50", "p95", "p99")
    }
    bounds = _latency_bounds(ordered)
    values = [value for points in series.values() for _, value in points]
    y = duration_axis([*values, *bounds.values()], BOTTOM, TOP)
    return Chart(
        "Response time from the intended start",
        _ticks(x, format_rate),
        _ticks(y, duration),
        tuple(_line(name, name, points, x, y) for name, points in series.items()),
        tuple(_mark(step, step.response_ms.p95 or y.low, x, y) for step in ordered),
        tuple(Tick(y.at(limit), slo) for slo, limit in bounds.items()),
    )


def _by_rate(steps: Sequence[StepRecord]) -> list[StepRecord]:
    return sorted(steps, key=lambda step: (step.offered_per_s, step.index))


def _load_axis(steps: Sequence[StepRecord]) -> Axis:
    return rate_axis((step.offered_per_s for step in steps), LEFT, RIGHT, from_zero=False)


def _latency_bounds(steps: Sequence[StepRecord]) -> dict[str, float]:
    return {
        criterion.slo: criterion.limit
        for step in steps
        for criterion in step.verdict.criteria
        if criterion.slo.startswith("p")
    }


def _ticks(axis: Axis, label: Callable[[float], str]) -> tuple[Tick, ...]:
    return tuple(Tick(axis.at(value), label(value) if value else "0") for value in axis.ticks())


def _line(
    name: str, kind: str, points: Sequence[tuple[StepRecord, float]], x: Axis, y: Axis
) -> Line:
    return Line(name, kind, " ".join(f"{x.at(s.offered_per_s)},{y.at(v)}" for s, v in points))


def _mark(step: StepRecord, value: float, x: Axis, y: Axis) -> Mark:
    says = reason(step) or f"{format_rate(step.offered_per_s)}/s pass"
    return Mark(x.at(step.offered_per_s), y.at(value), step.verdict.name, says)
