"""The identities that every closed level must obey: what is off is the measurement, not the model.

    N    users                     N̄   mean number in flight over the window
    X    completed a second        R̄   mean response time of the window's arrivals
    Z    think time                T   length of the window

    Little's law             N̄ = X·R̄
    Response-time law        R̄ = N/X − Z

Both hold exactly for a long window. In a finite one, requests in flight at its start and its end
belong to it in part only. Each edge cuts through N̄ requests, and what is left of each strays by
about R̄: the two sides of Little's law, N̄·T and Σ R, stray by about R̄·√(2·N̄), a share of
(R̄/T)·√(2/N̄).

Users who started together may come back together, so that a window holds up to one cycle of all of
them more or less: N/X, the length of a cycle, is known to N/X·(N/X)/T. As a share of R̄ that is
(N/X)²/(T·R̄), which is large where users think for much longer than they wait: there the second law
says nothing.
"""

from dataclasses import dataclass
from math import sqrt

from breakstep.model.sweep import Laws

BOOKS = 0.02
"""METHOD's allowance in a stable step: beyond it, and beyond the edges, something is miscounted."""
SIGMAS = 4.0


@dataclass(frozen=True, slots=True)
class Closed:
    """What the laws speak of. Rates a second, times s."""

    users: int
    think_s: float
    window_s: float
    completed_per_s: float
    response_s: float | None
    in_flight: float


def laws(seen: Closed) -> Laws:
    """How far the level is from either law.

    >>> laws(Closed(4, 0.0, 5.0, 800.0, 0.005, 4.0)).little_error
    0.0
    """
    if not seen.response_s or seen.completed_per_s <= 0.0:
        return Laws(None, None, None, None, None)
    expected = seen.completed_per_s * seen.response_s
    cycle_s = seen.users / seen.completed_per_s
    interactive_s = cycle_s - seen.think_s
    edges = seen.response_s / seen.window_s * sqrt(2.0 / max(seen.in_flight, 1e-9))
    return Laws(
        little_error=abs(seen.in_flight - expected) / expected,
        little_allowed=BOOKS + SIGMAS * edges,
        interactive_ms=1000.0 * interactive_s,
        interactive_error=abs(seen.response_s - interactive_s) / seen.response_s,
        interactive_allowed=BOOKS + cycle_s**2 / (seen.window_s * seen.response_s),
    )
