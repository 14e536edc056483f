"""Every step with its numbers, its verdict and what decided it."""

from breakstep.report.columns import COLUMNS, reason
from breakstep.report.page import Material, Values
from breakstep.report.page_table import Row, page_table
from breakstep.report.sections.numbered import numbered, run_column

REASONS_MAX = 100


def steps(material: Material) -> Values | None:
    """The table; without steps only the word that says so."""
    result = material.result
    rows = [
        Row((*run, *(column.cell(step) for column in COLUMNS)), step.verdict.name)
        for run, step in numbered(result)
    ]
    columns = [*run_column(result), *((column.name, column.unit) for column in COLUMNS)]
    reasons = [says for step in result.steps if (says := reason(step)) is not None]
    return {
        "table": page_table("Steps, in the order in which they were offered", columns, rows),
        "reasons": reasons[:REASONS_MAX],
    }
