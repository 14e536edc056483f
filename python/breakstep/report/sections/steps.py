"""Every step with its numbers, its verdict and what decided it."""

from breakstep.report.columns import COLUMNS, reason
from breakstep.report.page import Material, Values
from breakstep.report.page_table import Row, page_table

REASONS_MAX = 100


def steps(material: Material) -> Values | None:
    """The table; without steps only the word that says so."""
    found = material.result.steps
    rows = [
        Row(tuple(column.cell(step) for column in COLUMNS), step.verdict.name) for step in found
    ]
    columns = [(column.name, column.unit) for column in COLUMNS]
    reasons = [says for step in found if (says := reason(step)) is not None]
    return {
        "table": page_table("Steps, in the order in which they were offered", columns, rows),
        "reasons": reasons[:REASONS_MAX],
    }
