"""`histograms.hlog`: the HdrHistogram log, version 1.3, one line for each second and name.

    Tag=NAME,START,LENGTH,MAX,PAYLOAD

START is seconds after BaseTime, LENGTH seconds, MAX the longest duration in ms, PAYLOAD the V2
encoding, deflated, in base64. HdrHistogram's own tools read it, and separate the names by tag.
"""

from base64 import b64encode
from datetime import UTC, datetime

from breakstep.analysis.measured import Histogram
from breakstep.model.units import NS_PER_MS

_LEGEND = '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"'


def header(started_at: float) -> str:
    """The comments and the legend; `started_at` is in seconds since 1970."""
    date = datetime.fromtimestamp(started_at, UTC)
    return (
        "#[Durations in ns, by breakstep; Interval_Max is in ms]\n"
        "#[Histogram log format version 1.3]\n"
        f"#[StartTime: {started_at:.3f} (seconds since epoch), {date:%Y-%m-%d %H:%M:%S} UTC]\n"
        f"#[BaseTime: {started_at:.3f} (seconds since epoch)]\n"
        f"{_LEGEND}\n"
    )


def line(tag: str, start_s: float, length_s: float, histogram: Histogram) -> str:
    """One line; `start_s` counts from BaseTime. An empty histogram has none."""
    if histogram.count == 0:
        return ""
    max_ms = histogram.max_ns / NS_PER_MS
    payload = b64encode(histogram.encode()).decode()
    return f"Tag={tag},{start_s:.3f},{length_s:.3f},{max_ms:.3f},{payload}\n"
