"""Text of others, such as names of processes and lines of logs, made fit for a terminal."""

LONGEST = 200


def printable(text: str, longest: int = LONGEST) -> str:
    r"""The text without control characters, on one line, cut where it is too long.

    >>> printable("a\x1b[31mb"), printable("abcdef", 4)
    ('a?[31mb', 'abc…')
    """
    plain = "".join(letter if letter.isprintable() else "?" for letter in text)
    return plain if len(plain) <= longest else f"{plain[: longest - 1]}…"
