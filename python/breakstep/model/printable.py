"""Text from outside, made fit for a terminal, a table and a page."""

LIMIT = 200


def printable(text: str, limit: int = LIMIT) -> str:
    r"""One line without control characters, cut to `limit` characters.

    >>> printable("a\x1b[31m\nb")
    'a\\x1b[31m\\nb'
    """
    shown = "".join(map(_shown, text[: limit + 1]))
    return shown if len(shown) <= limit else f"{shown[: limit - 1]}…"


def _shown(character: str) -> str:
    if character.isprintable():
        return character
    return character.encode("unicode_escape").decode("ascii")
