"""The arrivals of a hold one by one, as arrays: what a histogram cannot tell, their order."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from breakstep.model.outcome import OUTCOMES

Times = NDArray[np.int64]
Flags = NDArray[np.bool_]
Numbers = NDArray[np.int64]

NEVER = -1
"""The instant of a sending that did not happen: 2^64 − 1 read as a signed number."""
OK = OUTCOMES.index("ok")
UNFINISHED = len(OUTCOMES)
"""In the place of an outcome: due, older than every bound, and not ended yet."""
_COLUMNS = 4
_OUTCOME_BITS = 8


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """One entry an arrival, in the order of the intended starts. Times are ns on one clock.

    `outcome` is the index in `OUTCOMES`, or `UNFINISHED`; `request` is what the arrival performed,
    as its number in the plan.
    """

    intended_ns: Times
    sent_ns: Times
    ended_ns: Times
    outcome: Numbers
    request: Numbers

    @classmethod
    def decode(cls, data: bytes) -> "Rows":
        """From the engine's rows: four little-endian u64 each (see `Interval.rows`).

        Raises ValueError when the bytes are not whole rows.
        """
        table = np.frombuffer(data, "<u8").astype(np.int64).reshape(-1, _COLUMNS)
        intended, sent, ended, what = table.T
        outcome = what & ((1 << _OUTCOME_BITS) - 1)
        return _sorted(cls(intended, sent, ended, outcome, what >> _OUTCOME_BITS))

    @classmethod
    def together(cls, *parts: "Rows") -> "Rows":
        """The arrivals of all parts."""
        columns = zip(*(part.columns for part in parts), strict=True)
        return _sorted(cls(*map(np.concatenate, columns)))

    def __len__(self) -> int:
        return len(self.intended_ns)

    @property
    def ok(self) -> Flags:
        """Which arrivals succeeded."""
        flags: Flags = self.outcome == OK
        return flags

    @property
    def response_ns(self) -> NDArray[np.float64]:
        """Last byte − intended start; infinite where the arrival is not ok."""
        return np.where(self.ok, (self.ended_ns - self.intended_ns).astype(np.float64), np.inf)

    def until(self, at_ns: int) -> "Rows":
        """The arrivals due before this instant."""
        return self[: int(np.searchsorted(self.intended_ns, at_ns, "left"))]

    def performing(self, request: int) -> "Rows":
        """The arrivals that performed one of the requests."""
        return self[self.request == request]

    def apart(self, requests: int) -> list["Rows"]:
        """The arrivals of each of so many requests; one sort, however many there are."""
        grouped = self[np.argsort(self.request, kind="stable")]
        edges = np.searchsorted(grouped.request, np.arange(requests + 1))
        return [grouped[first:end] for first, end in pairwise(edges)]

    def __getitem__(self, part: slice | Flags | NDArray[np.int64]) -> "Rows":
        return Rows(*(column[part] for column in self.columns))

    def with_unfinished(
        self, due_ns: Times, now_ns: int, performed: Numbers | None = None
    ) -> "Rows":
        """These rows and an `UNFINISHED` one for each of the due arrivals that has none.

        `due_ns` are the intended starts of the schedule, sorted, all of these rows' among them;
        `performed` is what each performs, None where there is but one request.
        """
        tie = np.arange(len(self)) - np.searchsorted(self.intended_ns, self.intended_ns, "left")
        seen = np.searchsorted(due_ns, self.intended_ns, "left") + tie
        missing = np.delete(due_ns, seen)
        never, now = np.full_like(missing, NEVER), np.full_like(missing, now_ns)
        unfinished = np.full_like(missing, UNFINISHED)
        request = np.zeros_like(missing) if performed is None else np.delete(performed, seen)
        return Rows.together(self, Rows(missing, never, now, unfinished, request))

    def lone(self) -> "Rows":
        """The ok arrivals whose intended start found no other of these rows in flight.

        Arrivals of an open model do not know the state of the service, so their response times are
        a fair sample of the time one request takes alone. The first is left out: what was in
        flight before it is not among the rows.
        """
        free_ns = np.maximum.accumulate(self.ended_ns)
        alone = np.zeros(len(self), np.bool_)
        alone[1:] = self.intended_ns[1:] >= free_ns[:-1]
        return self[alone & self.ok]

    @property
    def columns(self) -> tuple[Times, Times, Times, Numbers, Numbers]:
        """All of it, in the order of the fields."""
        return (self.intended_ns, self.sent_ns, self.ended_ns, self.outcome, self.request)


def _sorted(rows: Rows) -> Rows:
    return rows[np.argsort(rows.intended_ns, kind="stable")]
