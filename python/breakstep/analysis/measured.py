"""What the analysis reads of the engine's tallies; plain fakes satisfy it as well."""
# ruff: noqa: D102  the engine's stub says what each member is

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from breakstep.model.timing import HistogramName


class Histogram(Protocol):
    """Counts of durations, ns: see `_engine.Histogram`."""

    @property
    def count(self) -> int: ...
    @property
    def mean_ns(self) -> float: ...
    @property
    def max_ns(self) -> int: ...
    def quantile_ns(self, quantile: float, /) -> int:
        """The smallest recorded value with at least this share at or below it."""
        ...

    def count_at_or_below(self, value_ns: int, /) -> int: ...
    def encode(self) -> bytes: ...


class Tally(Protocol):
    """What happened to the arrivals of a span of time: see `_engine.Tally`."""

    @property
    def arrivals(self) -> int: ...
    @property
    def outcomes(self) -> Mapping[str, int]: ...
    @property
    def sent(self) -> int: ...
    @property
    def completed(self) -> int: ...
    @property
    def good(self) -> int: ...
    @property
    def cpu_ns(self) -> int: ...
    def histogram(self, name: HistogramName, /) -> Histogram: ...
    def response(self) -> Histogram: ...
