"""`report.html` of a victim under load."""

from collections.abc import Mapping
from typing import Any

from breakstep.model.record import Result
from breakstep.model.units import NS_PER_MS, format_duration, format_rate
from breakstep.report.interfere import sentence
from breakstep.report.page import Head, Material, Section, Values, render_page
from breakstep.report.page_table import Row, page_table
from breakstep.report.sections.diagnosis import diagnosis
from breakstep.report.sections.environment import environment
from breakstep.report.sections.trust import trust
from breakstep.store.interfere_json import SECTION

_COLUMNS = (("", ""), ("ok", "/s"), ("p50", ""), ("p99", ""), ("failed", ""))
_SIDES = (("alone", "alone"), ("under_load", "under load"), ("bully", "the load beside it"))


def render_interfere_html(result: Result) -> str:
    """The page. `result.plan` must be redacted already: all of it is shown."""
    head = Head(headline=sentence(result.sections[SECTION]), warnings=result.answer.caveats)
    return render_page(head, SECTIONS, Material(result))


def levels(material: Material) -> Values:
    """A row for each side of each repeat."""
    repeats = material.result.sections[SECTION]["repeats"]
    rows = [
        Row((f"{number} {name}", *_cells(pair[key])))
        for number, pair in enumerate(repeats, start=1)
        for key, name in _SIDES
    ]
    return {"table": page_table("The victim, alone and under load", _COLUMNS, rows, [""])}


def _cells(side: Mapping[str, Any]) -> tuple[str, ...]:
    times = (side["response_ms"][name] for name in ("p50", "p99"))
    shown = ("–" if one is None else format_duration(one * NS_PER_MS) for one in times)
    return (format_rate(side["ok_per_s"]), *shown, str(side["arrivals"] - side["ok"]))


SECTIONS = (
    Section("levels", "Repeats", levels),
    Section("diagnosis", "Why", diagnosis),
    Section("trust", "Can it be trusted", trust),
    Section("environment", "Environment, and how to reproduce", environment),
)
