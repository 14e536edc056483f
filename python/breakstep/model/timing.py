"""The durations kept of an arrival, by the names of their histograms."""

from typing import Literal

HistogramName = Literal["ok", "failed", "service", "first_byte", "lateness", "lag", "connect"]
