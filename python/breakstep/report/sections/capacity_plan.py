"""What to run for the demand that the load-model file states, planned from this run alone."""

from breakstep.report.columns import NOTHING
from breakstep.report.page import Material, Values
from breakstep.report.page_table import Row, page_table
from breakstep.report.plan import entries, headline
from breakstep.report.planned import planned

_COLUMNS = (("assumption", ""), ("says", ""), ("nodes", "without it"), ("source", ""))
_WORDS = ("assumption", "says", "source")


def capacity_plan(material: Material) -> Values | None:
    """The plan; None where no demand is stated, or the run has nothing that a plan can rest on."""
    found = planned(material.result)
    if found is None:
        return None
    rows = [
        Row((row.name, row.says, _count(row.nodes_without), row.source))
        for row in found.assumptions
    ]
    return {
        "headline": headline(found),
        "entries": list(entries(found)),
        "caveats": found.caveats,
        "table": page_table("What the number of nodes rests on", _COLUMNS, rows, _WORDS),
    }


def _count(nodes: int | None) -> str:
    return NOTHING if nodes is None else str(nodes)
