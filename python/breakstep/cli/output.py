"""Where results go that are not for a screen."""

import sys
from pathlib import Path

from breakstep.model.errors import StoreError

STANDARD_OUTPUT = "-"


def write_out(text: str, to: str, flag: str) -> None:
    """The text alone, to the file that this flag names or to standard output. Raises StoreError."""
    if to == STANDARD_OUTPUT:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    write_text(text, Path(to), flag)


def write_text(text: str, to: Path, flag: str, *, append: bool = False) -> None:
    """A file that the user asked for with this flag. Raises StoreError."""
    try:
        with to.open("a" if append else "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise StoreError(f"cannot write {to}: {error.strerror}; choose another {flag}") from error
