"""How many requests took how long, and when: read from `histograms.hlog` for a heat map."""

from base64 import b64decode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from breakstep._engine import Histogram
from breakstep.model.errors import StoreError

COLUMNS_MAX = 240
"""More columns than this cannot be told apart on a page."""
PER_DECADE = 10
LOWEST_NS = 1_000
BUCKETS = 10 * PER_DECADE + 1
_TAG = b"Tag=response,"
_BASE = b"#[BaseTime: "
_FIELDS = 5


@dataclass(frozen=True, slots=True)
class ResponseColumn:
    """The requests due in a stretch of time, seconds since 1970, by response time.

    `counts[b]` took longer than edge b − 1 and no longer than edge b; the last bucket has
    everything beyond.
    """

    from_s: float
    to_s: float
    counts: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Line:
    """Where a line about response times stands, and the stretch it is about."""

    from_s: float
    to_s: float
    offset: int


def edge_ns(bucket: int) -> float:
    """The upper edge of a bucket."""
    return float(LOWEST_NS * 10.0 ** (bucket / PER_DECADE))


def read_response_columns(path: Path) -> tuple[ResponseColumn, ...]:
    """The columns of a run by time: a second each, or several of a long run. Raises StoreError.

    One histogram is held at a time, so that a long run takes no more memory than a short one.
    """
    try:
        with path.open("rb") as file:
            base_s, lines = _index(file)
            return tuple(_column(file, base_s, group) for group in _groups(lines))
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise StoreError(f"{path} is damaged: {error}") from error


def _index(file: BinaryIO) -> tuple[float, list[_Line]]:
    """The base time, and the lines by time; one cut off when the run was killed is left out."""
    base_s, lines, offset = 0.0, [], 0
    for text in file:
        if text.startswith(_BASE):
            base_s = float(text.removeprefix(_BASE).split(b" ", 1)[0])
        elif text.startswith(_TAG) and text.endswith(b"\n"):
            start, length = map(float, text.split(b",", 3)[1:3])
            lines.append(_Line(start, start + length, offset))
        offset += len(text)
    return base_s, sorted(lines, key=lambda line: line.from_s)


def _groups(lines: Sequence[_Line]) -> Iterator[list[_Line]]:
    """The lines of each column. A column is as long as it takes for all to have room."""
    if not lines:
        return
    longest_s = max(1.0, (lines[-1].to_s - lines[0].from_s) / COLUMNS_MAX)
    group: list[_Line] = []
    for line in lines:
        if group and line.to_s - group[0].from_s > longest_s:
            yield group
            group = []
        group.append(line)
    yield group


def _column(file: BinaryIO, base_s: float, group: Sequence[_Line]) -> ResponseColumn:
    held = Histogram()
    for line in group:
        file.seek(line.offset)
        fields = file.readline().split(b",", _FIELDS - 1)
        held.add(Histogram.decode(b64decode(fields[-1].strip(), validate=True)))
    return ResponseColumn(base_s + group[0].from_s, base_s + group[-1].to_s, _buckets(held))


def _buckets(histogram: Histogram) -> NDArray[np.int64]:
    edges = [round(edge_ns(bucket)) for bucket in range(BUCKETS - 1)]
    below = [histogram.count_at_or_below(edge) for edge in edges]
    until = np.array([0, *below, histogram.count], dtype=np.int64)
    return until[1:] - until[:-1]
