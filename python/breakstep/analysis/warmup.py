"""How much of a hold's start is still settling: MSER-5.

    Y_i   mean of five successive response times, i = 1 … m
    g(d)  = Σ_{i>d} (Y_i − Ȳ_d)² / (m − d)²        Ȳ_d the mean of the Y_i after d

The cut is the d with the smallest g: leaving out more would cost more precision than it removes
bias (White 1997). Response times over `cap_ns` count as `cap_ns`, and so do failures: how long an
arrival was bad does not matter, and a single one must not decide.
"""

import numpy as np

from breakstep.analysis.rows import Rows

GROUP = 5
GROUPS_MIN = 20
CUT_MAX = 0.5
"""A hold that is still settling after half of it has not settled."""


def mser_cut(rows: Rows, cap_ns: float) -> int:
    """How many arrivals to leave out."""
    groups = len(rows) // GROUP
    if groups < GROUPS_MIN:
        return 0
    means = np.minimum(rows.response_ns, cap_ns)[: groups * GROUP].reshape(-1, GROUP).mean(axis=1)
    # Sums over everything after d; centred first, so that the squares do not cancel.
    centred = (means - means.mean())[::-1]
    left = np.arange(1, groups + 1)
    squares = np.cumsum(centred**2) - np.cumsum(centred) ** 2 / left
    # The last few groups are always alike: their variance says nothing.
    worth = (squares / left.astype(np.float64) ** 2)[GROUP:]
    best = len(worth) - 1 - int(np.argmin(worth[::-1]))
    return GROUP * (groups - (best + GROUP + 1))
