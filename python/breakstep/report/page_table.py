"""A table on a page: what the template needs to draw any of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from breakstep.analysis.words import counted

ROWS_MAX = 400


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of a row. `kind` is its class in the style sheet, such as a verdict."""

    cells: tuple[str, ...]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table with headings of a name and a unit. `words` are the columns of text, not numbers."""

    caption: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[Row, ...]
    words: frozenset[str] = frozenset()
    note: str = ""


def page_table(
    caption: str,
    columns: Sequence[tuple[str, str]],
    rows: Sequence[Row],
    words: Sequence[str] = (),
) -> PageTable:
    """A table with as many rows as anybody reads; its note says how many there are more."""
    missing = len(rows) - ROWS_MAX
    note = f"And {counted(missing)} more, in result.json." if missing > 0 else ""
    return PageTable(caption, tuple(columns), tuple(rows[:ROWS_MAX]), frozenset(words), note)
