"""Rows in the form of a tally, for the functions that read counts and quantiles only."""

from dataclasses import dataclass
from math import ceil
from typing import cast

import numpy as np

from breakstep.analysis.measured import Tally
from breakstep.analysis.rows import Rows, Times


def as_tally(rows: Rows) -> Tally:
    """What the verdict reads of a tally: the number of arrivals and the ok response times."""
    times_ns = (rows.ended_ns - rows.intended_ns)[rows.ok]
    # The verdict asks for no more than these two members.
    return cast("Tally", _RowsTally(len(rows), _RowsHistogram(np.sort(times_ns))))


@dataclass(frozen=True, slots=True)
class _RowsHistogram:
    """Every value, sorted: exact where the engine's histogram rounds to three digits."""

    sorted_ns: Times

    @property
    def count(self) -> int:
        return len(self.sorted_ns)

    def quantile_ns(self, quantile: float, /) -> int:
        return int(self.sorted_ns[max(1, ceil(quantile * self.count)) - 1])

    def count_at_or_below(self, value_ns: int, /) -> int:
        return int(np.searchsorted(self.sorted_ns, value_ns, "right"))


@dataclass(frozen=True, slots=True)
class _RowsTally:
    arrivals: int
    ok: _RowsHistogram

    def histogram(self, _name: str, /) -> _RowsHistogram:
        return self.ok
