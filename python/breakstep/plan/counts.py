"""A file of counts: how many requests came in each window of a log, one number a line."""

from pathlib import Path

SIZE_MOST = 16 * 1024 * 1024
COUNT_MOST = 10**9


def read_counts(path: Path) -> list[int]:
    """The numbers in their order; empty lines are passed over.

    Raises ValueError with the line that holds no number.
    """
    try:
        with path.open("rb") as file:
            data = file.read(SIZE_MOST + 1)
    except OSError as error:
        raise ValueError(error.strerror or str(error)) from error
    if len(data) > SIZE_MOST:
        msg = f"it is larger than {SIZE_MOST >> 20} MB: an hour of seconds is enough"
        raise ValueError(msg)
    lines = enumerate(data.decode("utf-8", "replace").splitlines(), start=1)
    return [_count(line.strip(), number) for number, line in lines if line.strip()]


def _count(text: str, number: int) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(COUNT_MOST))):
        msg = f"line {number} is no count of requests: write one whole number a line"
        raise ValueError(msg)
    return int(text)
