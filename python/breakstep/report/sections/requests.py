"""The requests of a mix, where the load broke or else at the highest."""

from breakstep.model.units import format_rate
from breakstep.report.page import Material, Values
from breakstep.report.page_table import Row, page_table
from breakstep.report.requests import HEADINGS, most_first, request_cells, telling_step

_NAME = "request"


def requests(material: Material) -> Values | None:
    """A row for each request, the most frequent first; None where there is only one."""
    step = telling_step(material.result.steps)
    if step is None:
        return None
    rows = [Row((name, *request_cells(record))) for name, record in most_first(step.requests)]
    columns = [(_NAME, ""), *((heading, "") for heading in HEADINGS)]
    caption = f"Requests at {format_rate(step.offered_per_s)}/s, {step.verdict.name}"
    return {"table": page_table(caption, columns, rows, (_NAME,))}
