"""A fixed piece of work, again and again: whether a core does as much now as it did before.

What is timed is the CPU time of the thread. Wall time would count every preemption as well, which
the wake-up probe tells better; a slower clock rate, a busy sibling or a full cache show in both.
"""

import hashlib
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

from breakstep.model.units import NS_PER_MS

ROUND_NS = 10 * NS_PER_MS
TRIAL_BYTES = 1 << 20
TRIALS = 5
MAD_TO_SD = 1.4826
"""The median absolute deviation of a normal sample is its standard deviation over this."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """`spread`: a robust coefficient of variation, 1.4826·MAD/median, of all rounds.

    `drift`: median of the last third over that of the first, less one; positive is slower.
    """

    rounds: int
    median_ns: float
    spread: float
    drift: float


class Calibrator:
    """Work of about 10 ms, fixed when made; `round()` may be called whenever nothing is measured.

    `work` takes a buffer and returns nothing that matters, `cpu_ns` is the thread's CPU clock.
    """

    def __init__(
        self,
        work: Callable[[bytes], object] = hashlib.sha256,
        cpu_ns: Callable[[], int] = time.thread_time_ns,
    ) -> None:
        self._work = work
        self._cpu_ns = cpu_ns
        trial = bytes(TRIAL_BYTES)
        best_ns = max(1, min(self._timed(trial) for _ in range(TRIALS)))
        self._buffer = bytes(TRIAL_BYTES * ROUND_NS // best_ns)
        self._rounds_ns: list[int] = []

    def round(self) -> None:
        """Does the work once."""
        self._rounds_ns.append(self._timed(self._buffer))

    def result(self) -> Calibration | None:
        """What all rounds so far say; None for fewer than six."""
        return summarise(self._rounds_ns)

    def _timed(self, buffer: bytes) -> int:
        began_ns = self._cpu_ns()
        self._work(buffer)
        return self._cpu_ns() - began_ns


def summarise(rounds_ns: list[int]) -> Calibration | None:
    """Spread and drift of rounds in the order of time; None for fewer than six."""
    third = len(rounds_ns) // 3
    if third < 2:  # noqa: PLR2004  a median of one round is a round
        return None
    median = statistics.median(rounds_ns)
    deviation = statistics.median(abs(value - median) for value in rounds_ns)
    first, last = statistics.median(rounds_ns[:third]), statistics.median(rounds_ns[-third:])
    return Calibration(len(rounds_ns), median, MAD_TO_SD * deviation / median, last / first - 1.0)
