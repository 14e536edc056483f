"""The arrivals of a hold one by one, as arrays: what a histogram cannot tell, their order."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from breakstep.model.outcome import OUTCOMES

Times = NDArray[np.int64]
Flags = NDArray[np.bool_]

NEVER = -1
"""The instant of a sending that did not happen: 2^64 − 1 read as a signed number."""
OK = OUTCOMES.index("ok")
UNFINISHED = len(OUTCOMES)
"""In the place of an outcome: due, older than every bound, and not ended yet."""
_COLUMNS = 4


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """One entry an arrival, in the order of the intended starts. Times are ns on one clock.

    `outcome` is the index in `OUTCOMES`, or `UNFINISHED`.
    """

    intended_ns: Times
    sent_ns: Times
    ended_ns: Times
    outcome: NDArray[np.int64]

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """From the engine's rows: four little-endian u64 each (see `Interval.rows`).

        Raises ValueError when the bytes are not whole rows.
        """
        table = np.frombuffer(data, "<u8").astype(np.int64).reshape(-1, _COLUMNS)
        return cls._sorted(*table.T)

    @classmethod
    def together(cls, *parts: "Rows") -> Self:
        """The arrivals of all parts."""
        columns = [(p.intended_ns, p.sent_ns, p.ended_ns, p.outcome) for p in parts]
        return cls._sorted(*(np.concatenate(column) for column in zip(*columns, strict=True)))

    @classmethod
    def _sorted(
        cls, intended: Times, sent: Times, ended: Times, outcome: NDArray[np.int64]
    ) -> Self:
        order = np.argsort(intended, kind="stable")
        return cls(intended[order], sent[order], ended[order], outcome[order])

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

    def __getitem__(self, part: slice) -> "Rows":
        return Rows(
            self.intended_ns[part], self.sent_ns[part], self.ended_ns[part], self.outcome[part]
        )

    def with_unfinished(self, due_ns: Times, now_ns: int) -> "Rows":
        """These rows and an `UNFINISHED` one for each of the due arrivals that has none.

        `due_ns` are the intended starts of the schedule, sorted, all of these rows' among them.
        """
        tie = np.arange(len(self)) - np.searchsorted(self.intended_ns, self.intended_ns, "left")
        seen = np.searchsorted(due_ns, self.intended_ns, "left") + tie
        missing = np.delete(due_ns, seen)
        never, now = np.full_like(missing, NEVER), np.full_like(missing, now_ns)
        return Rows.together(self, Rows(missing, never, now, np.full_like(missing, UNFINISHED)))

    def lone(self) -> "Rows":
        """The ok arrivals whose intended start found no other of these rows in flight.

        Arrivals of an open model do not know the state of the service, so their response times are
        a fair sample of the time one request takes alone. The first is left out: what was in
        flight before it is not among the rows.
        """
        free_ns = np.maximum.accumulate(self.ended_ns)
        alone = np.zeros(len(self), np.bool_)
        alone[1:] = self.intended_ns[1:] >= free_ns[:-1]
        chosen = alone & self.ok
        return Rows(
            self.intended_ns[chosen],
            self.sent_ns[chosen],
            self.ended_ns[chosen],
            self.outcome[chosen],
        )
