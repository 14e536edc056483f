"""What a look at the monotonic clock costs, and whether it ever steps back."""

import time
from collections.abc import Callable
from dataclasses import dataclass

READS = 20_000
TRIES = 5


@dataclass(frozen=True, slots=True)
class ClockCost:
    """`cost_ns`: the quickest of some tries; more than half of it is the interpreter's."""

    cost_ns: float
    backward: int
    """Readings smaller than the one before."""


def clock_cost(read_ns: Callable[[], int] = time.monotonic_ns) -> ClockCost:
    """Reads the clock 100 000 times, some 10 ms of work."""
    tries = [_series(read_ns) for _ in range(TRIES)]
    backward = sum(later < earlier for one in tries for earlier, later in zip(one, one[1:]))  # noqa: B905, RUF007
    return ClockCost(min((one[-1] - one[0]) / READS for one in tries), backward)


def _series(read_ns: Callable[[], int]) -> list[int]:
    return [read_ns() for _ in range(READS + 1)]
