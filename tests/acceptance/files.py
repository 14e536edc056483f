"""The files that a run leaves behind, read as their users would."""

import csv
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path

from breakstep._engine import Histogram


def intervals(out: Path) -> list[dict[str, str]]:
    """The rows of intervals.csv by column."""
    with (out / "intervals.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def response_times(out: Path) -> Histogram:
    """All response times of histograms.hlog, warm-ups included."""
    whole = Histogram()
    for tag, histogram in histograms(out):
        if tag == "response":
            whole.add(histogram)
    return whole


def histograms(out: Path) -> Iterator[tuple[str, Histogram]]:
    """The tagged lines of histograms.hlog."""
    for line in (out / "histograms.hlog").read_text().splitlines():
        tag, found, payload = line.removeprefix("Tag=").partition(",")
        if line.startswith("Tag=") and found:
            yield tag, Histogram.decode(b64decode(payload.rsplit(",", 1)[1]))
