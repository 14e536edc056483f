"""How far another machine's clock is ahead of ours, and how sure that is.

An exchange has four instants: sent and back on our clock, received and answered on theirs. With the
way there as long as the way back

    offset = ((received − sent) + (answered − back)) / 2

and however the two differ, it is wrong by no more than half of the time on the way,

    uncertainty = ((back − sent) − (answered − received)) / 2.
"""

from collections import deque
from dataclasses import dataclass, field

KEPT = 16


@dataclass(frozen=True, slots=True)
class Exchange:
    """One ping and its answer; seconds since 1970 on the clock of whoever stamped them."""

    sent_s: float
    received_s: float
    answered_s: float
    back_s: float

    @property
    def offset_s(self) -> float:
        """What their clock is ahead of ours.

        >>> Exchange(10.0, 15.25, 15.25, 10.5).offset_s
        5.0
        """
        return ((self.received_s - self.sent_s) + (self.answered_s - self.back_s)) / 2.0

    @property
    def uncertainty_s(self) -> float:
        """The most by which the offset can be wrong; below zero if a clock was set meanwhile.

        >>> Exchange(10.0, 15.25, 15.25, 10.5).uncertainty_s
        0.25
        """
        return ((self.back_s - self.sent_s) - (self.answered_s - self.received_s)) / 2.0


@dataclass(slots=True)
class ClockOffset:
    """The offset from the quickest of the latest exchanges: it was held up the least."""

    kept: deque[Exchange] = field(default_factory=lambda: deque(maxlen=KEPT))

    def add(self, exchange: Exchange) -> None:
        """Takes in one more exchange.

        One that contradicts the best says that a clock was set, or has drifted away: what was known
        is then void.
        """
        if exchange.uncertainty_s < 0.0:
            return
        if self.kept and _contradict(exchange, self.best):
            self.kept.clear()
        self.kept.append(exchange)

    @property
    def best(self) -> Exchange:
        """The exchange that is surest. There is one once `add` took one in."""
        return min(self.kept, key=lambda exchange: exchange.uncertainty_s)


def _contradict(one: Exchange, other: Exchange) -> bool:
    apart_s = abs(one.offset_s - other.offset_s)
    return apart_s > one.uncertainty_s + other.uncertainty_s
