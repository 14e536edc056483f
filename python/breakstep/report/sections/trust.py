"""The self-checks of generator and host: the breached ones first."""

from breakstep.report.columns import NOTHING
from breakstep.report.page import Material, Values
from breakstep.report.page_table import Row, page_table

_COLUMNS = (("check", ""), ("says", ""), ("measured", ""), ("limit", ""), ("verdict", ""))


def trust(material: Material) -> Values:
    """The verdict and every check."""
    found = material.result.trust
    ordered = sorted(found.checks, key=lambda check: check.verdict == "trusted")
    rows = [
        Row(
            (
                check.name.replace("_", " "),
                check.says,
                _number(check.value),
                _number(check.limit),
                check.verdict,
            ),
            check.verdict,
        )
        for check in ordered
    ]
    return {"trust": found, "table": page_table("Self-checks", _COLUMNS, rows, ("check", "says"))}


def _number(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.3g}"
