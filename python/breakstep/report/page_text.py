"""Text of others made fit for a page: cut where it is long, and nothing in it steers the browser.

Escaping is the template's work. This keeps out what no escaping stops: control characters, and
marks that turn the direction of writing so that a text looks like another.
"""

from breakstep.analysis.words import counted

LONGEST = 600
_SPACES = frozenset("\u00a0\u2009\u202f")
_JOINER = "\u200d"


def page_text(value: object) -> object:
    r"""A string fit for a page; anything else, and markup of our own, as it is.

    >>> page_text("a\x00b\u202ec"), page_text(7)
    ('a?b?c', 7)
    """
    return fit(value) if type(value) is str else value


def fit(text: str, longest: int = LONGEST) -> str:
    """The text on one line, cut with a word that says how much is missing.

    >>> fit("abcdef", 4)
    'abcd… (2 characters more)'
    """
    kept = "".join(map(_letter, text[:longest]))
    missing = len(text) - longest
    return kept if missing <= 0 else f"{kept}… ({counted(missing)} characters more)"


def _letter(letter: str) -> str:
    return letter if letter.isprintable() or letter in _SPACES or letter == _JOINER else "?"
