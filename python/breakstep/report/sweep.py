"""A sweep on a terminal: a line for each level as it ends, then the table and what it says."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from breakstep.analysis.throughput_knee import users
from breakstep.analysis.words import counted, percent
from breakstep.model.record import Result
from breakstep.model.sweep import Comparison, Laws, Level, Side, Sweep, Usl
from breakstep.model.units import NS_PER_MS, NS_PER_S, format_duration, format_rate
from breakstep.report.columns import NOTHING, duration, share
from breakstep.report.conclusion import warnings

UNBOUNDED = 10_000
TIMEOUTS_TELL = 0.01
"""Beyond this share of timeouts a p99 is only the time that was waited: a lower bound."""

INTERACTIVE_TELLS = 0.5
"""Where the edges of a window explain more than this, the response-time law says nothing."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column; those with the highest `spare` are left out first where there is no room."""

    name: str
    unit: str
    cell: Callable[[Level], str]
    spare: int = 0


COLUMNS = (
    Column("users", "", lambda level: counted(level.concurrency)),
    Column("completed", "/s", lambda level: format_rate(level.completed_per_s)),
    Column("mean", "", lambda level: duration(level.response_ms.mean), spare=4),
    Column("p50", "", lambda level: duration(level.response_ms.p50), spare=6),
    Column("p95", "", lambda level: duration(level.response_ms.p95), spare=2),
    Column("p99", "", lambda level: duration(level.response_ms.p99)),
    Column("errors", "", lambda level: share(level.errors)),
    Column("in flight", "mean", lambda level: f"{level.in_flight.mean:.3g}", spare=3),
    Column("W = L/λ", "off by", lambda level: _off(level.laws.little_error), spare=1),
    Column("connections", "open", lambda level: _count(level.connections), spare=5),
    Column("generator", "CPU", lambda level: share(level.generator.cpu_share), spare=7),
)
THINKING = (
    Column("N/X − Z", "", lambda level: duration(level.laws.interactive_ms), spare=9),
    Column("R = N/X − Z", "off by", lambda level: _interactive(level.laws), spare=8),
)


def columns(sweep: Sweep) -> tuple[Column, ...]:
    """What there is to show of its levels; the response-time law where users think."""
    if sweep.think_ms == 0.0:
        return COLUMNS
    return (*COLUMNS[:9], *THINKING, *COLUMNS[9:])


def level_heading(concurrency: int, think_ns: int) -> str:
    """Which level it is."""
    think = f" thinking {format_duration(think_ns)}" if think_ns else ""
    return f"{users(concurrency)}{think}"


def open_heading(rate_per_s: float) -> str:
    """The open model beside the levels."""
    return f"open: {format_rate(rate_per_s)}/s offered"


def level_line(level: Level, think_ns: int) -> str:
    """A finished level in one line."""
    why = level.unusable
    return (
        f"{level_heading(level.concurrency, think_ns)}: {format_rate(level.completed_per_s)}/s, "
        f"p50 {duration(level.response_ms.p50)}, p95 {duration(level.response_ms.p95)}, "
        f"p99 {duration(level.response_ms.p99)}, errors {share(level.errors)}"
        f"{'' if why is None else f' (not used: {why})'}"
    )


def levels_table(sweep: Sweep, console: Console) -> RenderableType:
    """A row for each level, with as many columns as the console has room for."""
    shown, gap = list(columns(sweep)), 1
    table = _table(sweep.levels, shown, gap)
    if _width(table, console) > console.width:
        gap = 0
        table = _table(sweep.levels, shown, gap)
    while _width(table, console) > console.width and any(column.spare for column in shown):
        shown.remove(max(shown, key=lambda column: column.spare))
        table = _table(sweep.levels, shown, gap)
    return table


def comparison_table(compared: Comparison) -> RenderableType:
    """The closed and the open model side by side."""
    table = _empty_table(1)
    for name in ("", "closed", "open"):
        table.add_column(name, justify="left" if not name else "right", no_wrap=True)
    for name, *cells in comparison_rows(compared):
        table.add_row(name, *cells)
    return table


def comparison_rows(compared: Comparison) -> tuple[tuple[str, str, str], ...]:
    """Name, closed, open."""
    closed, opened = compared.closed, compared.open
    return (
        ("nominal load", _rate(compared.nominal_per_s), _rate(compared.nominal_per_s)),
        ("sent", _rate(closed.sent_per_s), _rate(opened.sent_per_s)),
        ("requests due", counted(closed.arrivals), counted(opened.arrivals)),
        ("never sent", counted(compared.not_sent), "0"),
        ("p95", _quantile(closed, "p95"), _quantile(opened, "p95")),
        ("p99", _quantile(closed, "p99"), _quantile(opened, "p99")),
        ("errors", share(closed.errors), share(opened.errors)),
    )


def conclusion(result: Result, sweep: Sweep) -> str:
    """What the levels say, a line each: knee, laws, scalability, comparison, notes, warnings."""
    lines = [headline(sweep), *_laws(sweep)]
    if sweep.levels:
        lines.append(scalability(sweep.usl))
    if sweep.compare_open is not None:
        lines.append(omission(sweep.compare_open))
    lines += [f"Note: {note}" for note in sweep.notes]
    lines += [f"Warning: {warning}." for warning in warnings(result)]
    return "\n".join(lines)


def headline(sweep: Sweep) -> str:
    """Where throughput stops growing, in one or two sentences."""
    knee = sweep.knee
    if not sweep.levels:
        return f"{_ended(sweep)}No level was finished."
    if knee.concurrency is None:
        return f"{_ended(sweep)}No knee of throughput: {knee.reasons[0]}."
    reasons = "; ".join(knee.reasons)
    return f"{_ended(sweep)}Knee of throughput at {users(knee.concurrency)}: {reasons}."


def scalability(usl: Usl) -> str:
    """The fitted law, or why there is none."""
    if usl.alpha is None or usl.beta is None or usl.gamma is None:
        return f"USL not fitted: {usl.why}."
    if not usl.valid:
        return f"USL does not describe these levels: {usl.why}."
    numbers = (
        f"α {usl.alpha:.3g}{_between(usl.alpha_interval)}, β {usl.beta:.3g}"
        f"{_between(usl.beta_interval)}, γ {format_rate(usl.gamma)}/s a user"
    )
    peak = "" if usl.n_max is None else f", peak{_between(usl.n_max_interval)} users"
    return f"USL: {numbers}{peak}; {usl.why}."


def omission(compared: Comparison) -> str:
    """Coordinated omission, in two sentences."""
    closed, opened = compared.closed, compared.open
    window = format_duration(compared.window_s * NS_PER_S)
    think = format_duration(compared.think_ms * NS_PER_MS)
    asked = (
        f"{users(compared.concurrency)} who think {think} and are answered in "
        f"{duration(compared.unloaded_ms)} ask for {_rate(compared.nominal_per_s)}"
    )
    if compared.not_sent <= TIMEOUTS_TELL * compared.nominal_per_s * compared.window_s:
        first = f"{asked}, and in {window} the closed model sent what that makes."
    else:
        first = (
            f"{asked}; in {window} the closed model never sent {counted(compared.not_sent)} of "
            "these requests, because every user waited for the last answer first."
        )
    return (
        f"{first} As an open model the same load met p99 {_quantile(opened, 'p99')} instead of "
        f"{_quantile(closed, 'p99')} and {percent(opened.errors)} of errors instead of "
        f"{percent(closed.errors)}."
    )


def _laws(sweep: Sweep) -> list[str]:
    usable = [level.laws for level in sweep.levels if level.unusable is None]
    little = [laws.little_error for laws in usable if laws.little_error is not None]
    if not little:
        return []
    text = f"Little's law, N = X·R, held within {_off(max(little))} at every level used"
    if sweep.think_ms == 0.0:
        return [f"{text}."]
    told = [level for level in sweep.levels if level.unusable is None and _tells(level.laws)]
    if not told:
        return [f"{text}; the holds are too short for R = N/X − Z."]
    last = told[-1]
    return [f"{text}, R = N/X − Z within {_interactive(last.laws)} with {users(last.concurrency)}."]


def _tells(laws: Laws) -> bool:
    """Whether the window was long enough to hold the response-time law against it."""
    return laws.interactive_allowed is not None and laws.interactive_allowed < INTERACTIVE_TELLS


def _interactive(laws: Laws) -> str:
    return _off(laws.interactive_error) if _tells(laws) else NOTHING


def _ended(sweep: Sweep) -> str:
    if sweep.stop_reason == "done":
        return ""
    count = len(sweep.levels)
    levels = "1 level" if count == 1 else f"{count} levels"
    return f"Ended after {levels}: {sweep.why}. "


def _quantile(side: Side, name: str) -> str:
    at_least = "≥ " if side.timeouts > TIMEOUTS_TELL * side.arrivals else ""
    return f"{at_least}{duration(getattr(side.response_ms, name))}"


def _between(interval: tuple[float, float] | None) -> str:
    return "" if interval is None else f" ({interval[0]:.3g} … {interval[1]:.3g})"


def _off(error: float | None) -> str:
    return NOTHING if error is None else f"{100 * error:.2f} %"


def _count(count: int | None) -> str:
    return NOTHING if count is None else counted(count)


def _rate(rate_per_s: float) -> str:
    return f"{format_rate(rate_per_s)}/s"


def _width(table: Table, console: Console) -> int:
    """What the table would take if nothing held it back."""
    unbounded = console.options.update(max_width=UNBOUNDED)
    return console.measure(table, options=unbounded).maximum


def _table(levels: Sequence[Level], shown: Sequence[Column], gap: int) -> Table:
    table = _empty_table(gap)
    for column in shown:
        heading = f"{column.name}\n{column.unit}" if column.unit else column.name
        table.add_column(heading, justify="right", no_wrap=True)
    for level in levels:
        style = "" if level.unusable is None else "dim"
        table.add_row(*(Text(column.cell(level), style) for column in shown))
    return table


def _empty_table(gap: int) -> Table:
    return Table(
        box=box.SIMPLE_HEAD,
        padding=(0, gap),
        show_edge=False,
        pad_edge=False,
        collapse_padding=True,
    )
