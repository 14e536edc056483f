"""The requests of a mix at one load, as a table on a terminal."""

from collections.abc import Mapping, Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from breakstep.analysis.words import counted
from breakstep.model.printable import printable
from breakstep.model.record import RequestRecord, StepRecord
from breakstep.model.units import format_rate
from breakstep.report.columns import duration, share

SHOWN = 20
"""All are in `result.json`."""
HEADINGS = ("arrivals", "p50", "p95", "p99", "errors")


def telling_step(steps: Sequence[StepRecord]) -> StepRecord | None:
    """The lowest load that failed, or else the highest; None without requests to tell apart."""
    mixed = [step for step in steps if step.requests]
    failed = [step for step in mixed if step.verdict.name == "fail"]
    if failed:
        return min(failed, key=lambda step: step.offered_per_s)
    return max(mixed, key=lambda step: step.offered_per_s, default=None)


def requests_table(step: StepRecord) -> Table:
    """A row for each request, those with most arrivals first."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column(f"at {format_rate(step.offered_per_s)}/s", overflow="fold")
    for heading in HEADINGS:
        table.add_column(heading, justify="right", no_wrap=True)
    for name, record in most_first(step.requests)[:SHOWN]:
        # A name is somebody's text: neither markup nor escape sequences.
        table.add_row(Text(printable(name)), *request_cells(record))
    if len(step.requests) > SHOWN:
        table.add_row(f"and {len(step.requests) - SHOWN} more")
    return table


def most_first(requests: Mapping[str, RequestRecord]) -> list[tuple[str, RequestRecord]]:
    """By name, those with most arrivals first."""
    return sorted(requests.items(), key=lambda item: -item[1].arrivals)


def request_cells(record: RequestRecord) -> tuple[str, ...]:
    """One request's values under HEADINGS."""
    times = record.response_ms
    failed = 1.0 - record.ok / record.arrivals if record.arrivals else 0.0
    quantiles = (duration(value) for value in (times.p50, times.p95, times.p99))
    return (counted(record.arrivals), *quantiles, share(failed))
