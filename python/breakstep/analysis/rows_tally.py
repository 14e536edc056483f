"""Rows in the form of sums, for the functions that read counts and quantiles only."""

from dataclasses import dataclass
from math import ceil
from typing import cast

import numpy as np

from breakstep.analysis.durations import summarise
from breakstep.analysis.measured import Histogram, Tally
from breakstep.analysis.rows import OK, Rows, Times
from breakstep.model.outcome import OUTCOMES
from breakstep.model.record import RequestRecord

_TIMED = [OUTCOMES.index(o) for o in ("ok", "check_failed", "http_error", "timeout", "dropped")]
"""The outcomes that have a response time: an answer, or a wait as a lower bound of one."""


def of_request(rows: Rows) -> RequestRecord:
    """The arrivals that performed one request, as they are stored of a step."""
    # What had not ended when a step was interrupted is an arrival without an outcome.
    counts = np.bincount(rows.outcome, minlength=len(OUTCOMES))
    timed = rows[np.isin(rows.outcome, _TIMED)]
    times_ns = np.sort(timed.ended_ns - timed.intended_ns)
    return RequestRecord(
        arrivals=len(rows),
        ok=int(counts[OK]),
        outcomes={name: int(counts[number]) for number, name in enumerate(OUTCOMES)},
        response_ms=summarise(cast("Histogram", _RowsHistogram(times_ns))),
    )


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

    @property
    def mean_ns(self) -> float:
        return float(np.mean(self.sorted_ns))

    @property
    def max_ns(self) -> int:
        return int(self.sorted_ns[-1])

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
