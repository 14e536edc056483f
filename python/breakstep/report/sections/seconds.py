"""The seconds around the break, one row each."""

from breakstep.report.around_break import seconds_around
from breakstep.report.page import Material, Values
from breakstep.report.page_table import Row, page_table


def seconds(material: Material) -> Values | None:
    """The table; None where nothing broke, or its seconds were not kept."""
    recorded = material.recorded
    found = seconds_around(material.result, recorded.rows, recorded.series)
    if found is None:
        return None
    rows = [
        Row(cells, "wrong" if number == found.wrong else "")
        for number, cells in enumerate(found.rows)
    ]
    return {"table": page_table("Seconds around the break", found.headings, rows)}
