"""The seconds around the break: what was offered and done, how long it took, what filled up.

The table is centred on the second in which it went wrong: the first of the first failing step in
which a response-time quantile or the share of errors crossed its SLO, or the queue began.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from breakstep.analysis.signals import Series
from breakstep.model.printable import printable
from breakstep.model.record import Result, StepRecord
from breakstep.model.signal import Signal, base_name, label_of
from breakstep.model.slo import Slo, parse_slo
from breakstep.model.units import NS_PER_MS, format_rate
from breakstep.report.columns import NOTHING, duration, share
from breakstep.store.intervals_csv import IntervalRow

AROUND_S = 10.0
SHORTEST_S = 0.25
"""A row of less is the rest of a second at the edge of a step: its rates mean little, and no probe
was read in it."""
QUEUE_TIMES, QUEUE_MIN = 3.0, 5.0
"""The queue began when so many times the usual, and so many more, were in flight."""
RESOURCES_MAX = 6
HEADING_MAX = 16
UTILISATION: Sequence[tuple[str, str]] = (
    ("node", "loop_utilisation"),
    ("node", "pool_busy"),
    ("node", "pool_waiting"),
    ("php-fpm", "active"),
    ("php-fpm", "queue"),
    ("postgres", "cpu"),
    ("process", "cpu"),
    ("redis", "cpu"),
    ("listen", "unread_connections"),
    ("listen", "accept_queue"),
    ("postgres", "active"),
    ("pgbouncer", "servers_active"),
    ("pgbouncer", "clients_waiting"),
    ("haproxy", "queue"),
    ("cgroup", "cpu"),
    ("go", "gc"),
    ("process", "busiest_thread"),
    ("host", "cpu"),
)
"""What is shown of each kind of probe, the most telling first."""


@dataclass(frozen=True, slots=True)
class _Column:
    heading: tuple[str, str]
    cell: Callable[[IntervalRow], str]


@dataclass(frozen=True, slots=True)
class Seconds:
    """The table: a heading of two lines for each column, and which row went wrong."""

    headings: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, ...], ...]
    wrong: int


def around_break(result: Result, rows: Sequence[IntervalRow], series: Sequence[Series]) -> str:
    """The table as text; empty where nothing broke, or its seconds were not kept."""
    seconds = seconds_around(result, rows, series)
    return "" if seconds is None else _text(seconds)


def seconds_around(
    result: Result, rows: Sequence[IntervalRow], series: Sequence[Series]
) -> Seconds | None:
    """The table; None where nothing broke, or its seconds were not kept."""
    broken = first_failing(result)
    wrong = None if broken is None else went_wrong(result, broken, rows)
    if wrong is None:
        return None
    around = [row for row in rows if abs(row.from_s - wrong.from_s) <= AROUND_S]
    near = [row for row in around if _whole(row) and not _idle(row)]
    shown = resources(series, near)
    columns = [*_columns(wrong), *(_resource(one, _title(one, shown)) for one in shown)]
    return Seconds(
        headings=tuple(column.heading for column in columns),
        rows=tuple(tuple(column.cell(row) for column in columns) for row in near),
        wrong=next((k for k, row in enumerate(near) if row is wrong), -1),
    )


def first_failing(result: Result) -> tuple[int, StepRecord] | None:
    """The first failing step at the load that broke, with the number of its run."""
    broken_per_s = result.answer.broken_per_s
    failed = [
        (number, step)
        for number, run in enumerate(result.runs)
        for step in run.steps
        if step.verdict.name == "fail"
    ]
    at_break = [pair for pair in failed if pair[1].offered_per_s == broken_per_s]
    return min(at_break or failed, key=lambda pair: pair[1].window_from, default=None)


def went_wrong(
    result: Result, broken: tuple[int, StepRecord], rows: Sequence[IntervalRow]
) -> IntervalRow | None:
    """The second in which an SLO was crossed or the queue began; else the first of its hold."""
    slos = _slos(result.plan)
    usual = _usual_queue(result, rows)
    own = [row for row in rows if (row.run, row.step) == (broken[0], broken[1].index)]
    loaded = [row for row in own if row.phase != "drain" and _whole(row)]
    crossed = (row for row in loaded if _crosses(row, slos) or _queues(row, usual))
    held = (row for row in loaded if row.phase == "hold")
    return next(crossed, None) or next(held, None)


def resources(series: Sequence[Series], rows: Sequence[IntervalRow]) -> list[Series]:
    """The series worth a column: sampled in these seconds, the most telling kinds first."""
    if not rows:
        return []
    from_s, to_s = rows[0].from_s, rows[-1].to_s
    ordered = sorted(series, key=lambda one: (one.signal.source, one.signal.name))
    found: list[Series] = []
    for kind, name in UTILISATION:
        alike = (one for one in ordered if _is(one.signal, kind, name))
        found += [one for one in alike if len(one.within(from_s, to_s).values)]
    return found[:RESOURCES_MAX]


def is_whole(signal: Signal) -> bool:
    """Whether it is of a probe as a whole, or of a pool; not of one core or thread."""
    label = label_of(signal.name)
    return not label or label.startswith(("pool=", "proxy="))


def _is(signal: Signal, kind: str, name: str) -> bool:
    return is_whole(signal) and signal.kind == kind and base_name(signal.name) == name


def _columns(wrong: IntervalRow) -> list[_Column]:
    return [
        _Column(("second", ""), lambda row: _second(row, wrong)),
        _Column(("step", ""), lambda row: f"{row.step} {row.phase}"),
        _Column(("offered", "/s"), lambda row: _per_s(row.arrivals, row)),
        _Column(("completed", "/s"), lambda row: _per_s(row.completed, row)),
        _Column(("p50", ""), lambda row: duration(row.response_p50_ms)),
        _Column(("p95", ""), lambda row: duration(row.response_p95_ms)),
        _Column(("errors", ""), _errors),
        _Column(("in flight", "at end"), lambda row: _count(row.in_flight_end)),
    ]


def _title(one: Series, shown: Sequence[Series]) -> str:
    """The probe's label; where that is long, its kind, if it is the only one of it."""
    source, kind = one.signal.source, one.signal.kind
    alone = {other.signal.source for other in shown if other.signal.kind == kind} == {source}
    return kind if alone and len(source) > HEADING_MAX else source


def _resource(series: Series, title: str) -> _Column:
    signal = series.signal
    heading = (printable(title, HEADING_MAX), printable(base_name(signal.name), HEADING_MAX))

    def cell(row: IntervalRow) -> str:
        values = series.within(row.from_s, row.to_s).values
        mean = float(values.mean()) if len(values) else math.nan
        return _value(mean, signal.unit)

    return _Column(heading, cell)


def _text(seconds: Seconds) -> str:
    lines = [*zip(*seconds.headings, strict=True), *seconds.rows]
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    marks = ["", "", *("→" if k == seconds.wrong else "" for k in range(len(seconds.rows)))]
    return "\n".join(
        f"{mark:1} {'  '.join(f'{c:>{w}}' for c, w in zip(cells, widths, strict=True))}".rstrip()
        for mark, cells in zip(marks, lines, strict=True)
    )


def _slos(plan: Mapping[str, object]) -> list[Slo]:
    """Those of all requests that can be read; a plan of another version may have others."""
    texts, found = plan.get("slos"), []
    for text in texts if isinstance(texts, list | tuple) else ():
        try:
            found.append(parse_slo(str(text)))
        except ValueError:
            continue
    # A second does not tell requests apart.
    return [slo for slo in found if slo.request is None]


def _crosses(row: IntervalRow, slos: Sequence[Slo]) -> bool:
    return any(_crosses_one(row, slo) for slo in slos)


def _crosses_one(row: IntervalRow, slo: Slo) -> bool:
    if slo.kind == "latency":
        measured_ms = _quantile_ms(row, slo.quantile)
        return measured_ms is not None and measured_ms * NS_PER_MS > slo.bound_ns
    allowed = slo.share if slo.kind == "errors" else 1.0 - slo.share
    return row.arrivals > 0 and row.failed / row.arrivals > allowed


def _quantile_ms(row: IntervalRow, quantile: float) -> float | None:
    """The kept quantile next above the one asked for."""
    kept = (
        (0.50, row.response_p50_ms),
        (0.95, row.response_p95_ms),
        (0.99, row.response_p99_ms),
        (1.0, row.response_max_ms),
    )
    return next(value for at, value in kept if quantile <= at)


def _usual_queue(result: Result, rows: Sequence[IntervalRow]) -> float:
    """In flight in the seconds of the steps that held, the median."""
    held = {
        (number, step.index)
        for number, run in enumerate(result.runs)
        for step in run.steps
        if step.verdict.name == "pass"
    }
    seen = [
        row.in_flight_end
        for row in rows
        if row.phase == "hold" and (row.run, row.step) in held and row.in_flight_end is not None
    ]
    return median(seen) if seen else math.inf


def _queues(row: IntervalRow, usual: float) -> bool:
    flight = row.in_flight_end
    return flight is not None and flight > max(QUEUE_TIMES * usual, usual + QUEUE_MIN)


def _whole(row: IntervalRow) -> bool:
    return row.to_s - row.from_s >= SHORTEST_S


def _idle(row: IntervalRow) -> bool:
    """A second between two steps in which nothing happened."""
    return row.arrivals == 0 and row.completed == 0 and not row.in_flight_end


def _second(row: IntervalRow, wrong: IntervalRow) -> str:
    away = round(row.from_s - wrong.from_s)
    return "0" if away == 0 else f"{away:+d}"


def _per_s(count: int, row: IntervalRow) -> str:
    return format_rate(count / (row.to_s - row.from_s))


def _errors(row: IntervalRow) -> str:
    return share(row.failed / row.arrivals) if row.arrivals else NOTHING


def _count(value: int | None) -> str:
    return NOTHING if value is None else str(value)


def _value(mean: float, unit: str) -> str:
    if not math.isfinite(mean):
        return NOTHING
    return share(mean) if unit == "share" else f"{mean:.3g}"
