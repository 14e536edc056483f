"""The criteria of a gate: what was asked, what was found; and the blocks of a comparison."""

from breakstep.analysis.words import counted
from breakstep.report.columns import duration, share
from breakstep.report.page import Material, Values
from breakstep.report.page_table import Row, page_table
from breakstep.store.check_json import gate_of

_COLUMNS = (("criterion", ""), ("says", ""), ("verdict", ""))
_BLOCKS = (
    ("pair", ""),
    ("version", ""),
    ("arrivals", ""),
    ("typical", ""),
    ("tail", ""),
    ("bad", ""),
)


def criteria(material: Material) -> Values | None:
    """A row for each; None where nothing was judged."""
    found = gate_of(material.result).criteria
    if not found:
        return None
    rows = [Row((one.slo, one.says, one.verdict), one.verdict) for one in found]
    return {"table": page_table("Criteria", _COLUMNS, rows, ("criterion", "says"))}


def blocks(material: Material) -> Values | None:
    """A row for each block, in the order of the pairs; None where nothing was compared."""
    compared = gate_of(material.result).comparison
    if compared is None:
        return None
    rows = [
        Row(
            (
                str(block.pair + 1),
                block.side,
                counted(block.arrivals),
                duration(block.typical_ms),
                duration(block.tail_ms),
                share(block.bad_share),
            )
        )
        for block in compared.blocks
    ]
    return {"table": page_table("Blocks of load on either version", _BLOCKS, rows, ("version",))}
