"""Markdown: text of others that stays text, and tables."""

import re
from collections.abc import Container, Iterable, Sequence

from breakstep.model.printable import printable

LONGEST = 600
_SPECIAL = re.compile(r"([\\`*_{}\[\]|~#])")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;"})


def plain(text: str) -> str:
    r"""The text on one line with nothing in it that Markdown, HTML or a table would act on.

    An `@` would call somebody of that name on some forges.

    >>> plain("a|b `c` <i> @me")
    'a\\|b \\`c\\` &lt;i&gt; &#64;me'
    """
    return _SPECIAL.sub(r"\\\1", printable(text, LONGEST)).translate(_ENTITIES)


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], numbers: Container[str]) -> str:
    """A table of plain cells; the columns in `numbers` stand to the right."""
    sides = ["---:" if heading in numbers else "---" for heading in headings]
    lines = [list(map(plain, headings)), sides, *(list(map(plain, row)) for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def listed(texts: Iterable[str]) -> str:
    """A list of plain texts."""
    return "\n".join(f"- {plain(text)}" for text in texts)
