"""Text of others made fit for a page: cut where it is long, and nothing in it steers the browser.

Escaping is the template's work. This keeps out what no escaping stops: control characters, and
marks that turn the direction of writing so that a text looks like another.
"""

import re

from breakstep.analysis.words import counted

LONGEST = 600
"""Characters of one text."""
SHORT = 60
ROOM = 250_000
"""Bytes that the long texts of a page may take together; from then on texts are cut to SHORT."""
_SPACES = frozenset("\u00a0\u2009\u202f")
_JOINER = "\u200d"
_WITHIN = re.compile(r"(?<=\d) (?=\d{3}\b|(?:ns|µs|ms|s|min|h|cores?|[kMGT]?B)\b|%)")


class PageText:
    """Makes the texts of one page fit, one after another."""

    def __init__(self) -> None:
        self._room = ROOM

    def __call__(self, value: object) -> object:
        """A text made fit; anything else, and markup and geometry of our own, as it is."""
        # A text that says how much was cut from it is left whole.
        longest = 2 * LONGEST if self._room > 0 else SHORT
        if type(value) is not str:
            return value
        text = fit(value, longest)
        if len(text) > SHORT:
            self._room -= len(text.encode())
        return text


def fit(text: str, longest: int = LONGEST) -> str:
    r"""The text on one line, cut with a word that says how much is missing.

    >>> fit("abcdef", 4), fit("a\x00b\u202ec")
    ('abcd… (2 characters more)', 'a?b?c')
    """
    kept = "".join(map(_letter, text[:longest]))
    missing = len(text) - longest
    return kept if missing <= 0 else f"{kept}… ({counted(missing)} characters more)"


def unbroken(text: str) -> str:
    """Prose in which no line ends within a number or between it and its unit.

    >>> unbroken("at 6 690/s p95 was 10 ms") == "at 6\u00a0690/s p95 was 10\u00a0ms"
    True
    """
    return _WITHIN.sub("\u00a0", text)


def _letter(letter: str) -> str:
    return letter if letter.isprintable() or letter in _SPACES or letter == _JOINER else "?"
