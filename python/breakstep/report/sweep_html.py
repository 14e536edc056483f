"""`report.html` of a sweep."""

from breakstep.model.record import Result
from breakstep.model.sweep import Sweep
from breakstep.report import sweep as words
from breakstep.report.page import Head, Material, Section, Values, render_page
from breakstep.report.page_table import Row, page_table
from breakstep.report.sections.environment import environment
from breakstep.report.sections.trust import trust
from breakstep.store.sweep_json import sweep_of

_MODELS = (("", ""), ("closed", ""), ("open", ""))
_WARNING = "Warning: "


def render_sweep_html(result: Result, sweep: Sweep) -> str:
    """The page. `result.plan` must be redacted already: all of it is shown."""
    lead, *rest = words.conclusion(result, sweep).split("\n")
    warned = [sentence for sentence in rest if sentence.startswith(_WARNING)]
    head = Head(
        headline=lead,
        sentences=[sentence for sentence in rest if sentence not in warned],
        warnings=[sentence.removeprefix(_WARNING).removesuffix(".") for sentence in warned],
    )
    return render_page(head, SECTIONS, Material(result))


def levels(material: Material) -> Values:
    """A row for each number of users."""
    sweep = sweep_of(material.result)
    columns = words.columns(sweep)
    rows = [Row(tuple(column.cell(level) for column in columns)) for level in sweep.levels]
    headings = [(column.name, column.unit) for column in columns]
    return {"table": page_table("Levels, by number of users", headings, rows)}


def comparison(material: Material) -> Values | None:
    """The closed model beside the open one; None where they were not compared."""
    compared = sweep_of(material.result).compare_open
    if compared is None:
        return None
    rows = [Row(cells) for cells in words.comparison_rows(compared)]
    return {"table": page_table("The same users, closed and open", _MODELS, rows)}


SECTIONS = (
    Section("levels", "Levels", levels),
    Section("comparison", "The same users as an open model", comparison),
    Section("trust", "Can it be trusted", trust),
    Section("environment", "Environment, and how to reproduce", environment),
)
