"""Little's law as an invariant of the bookkeeping: both sides count the same waiting.

    ∫N dt  over the window, from counting arrivals in and out of flight
    Σ R    over the arrivals, each for the part of its time that lies in the window

They are equal for any service, stable or not. Arrivals in flight when the window began are in the
integral and not among the rows; each can account for one response time at most, and is allowed so
much.
"""

from dataclasses import dataclass

import numpy as np

from breakstep.analysis.rows import Rows
from breakstep.analysis.words import percent
from breakstep.model.record import Check

LIMIT = 0.02


@dataclass(frozen=True, slots=True)
class InFlightTime:
    """What the engine counted over the window from `from_ns` to `to_ns`.

    `in_flight_ns` is the integral of the number in flight, `in_flight_start` that number at
    `from_ns`.
    """

    in_flight_ns: float
    in_flight_start: int
    from_ns: int
    to_ns: int


def little_error(rows: Rows, counted: InFlightTime) -> float:
    """|∫N dt − Σ R| / Σ R, beyond what the start of the window explains; 0 without arrivals."""
    ended, started = rows.ended_ns, rows.intended_ns
    spent = np.minimum(ended, counted.to_ns) - np.maximum(started, counted.from_ns)
    spent = np.maximum(spent, 0)
    total = float(spent.sum())
    if total <= 0.0:
        return 0.0
    difference = counted.in_flight_ns - total
    explained = counted.in_flight_start * float(spent.max()) if difference > 0.0 else 0.0
    return max(0.0, abs(difference) - explained) / total


def little_check(rows: Rows, counted: InFlightTime) -> Check:
    """Invalid when the two sides differ by more than 2 %: breakstep's own fault."""
    error = little_error(rows, counted)
    says = f"time in flight and response times agree to {percent(error)} (Little's law)"
    if error <= LIMIT:
        return Check("little", error, LIMIT, "trusted", says)
    says = (
        f"time in flight and response times differ by {percent(error)} (Little's law): "
        "breakstep's own bookkeeping is wrong, please report it"
    )
    return Check("little", error, LIMIT, "invalid", says)
