"""Whether requests left as their schedule meant: variance over mean of the counts in windows.

    D = s²/n̄        s², n̄: variance and mean of the counts n of sends in m windows of one length

Poisson arrivals have D = 1 at every length: (m−1)·D is χ² with k = m−1 degrees of freedom, and its
cube root is close to normal (Wilson and Hilferty 1931):

    z = (D^(1/3) − (1 − 2/(9k))) / √(2/(9k))

A breach is |z| > 4 and |D − 1| > 0.1, so that neither chance nor a trifle is one. For large m that
is the band 1 ± 4·√(2/m); with ten windows the plain band would call three in a thousand wrong.

Uniform arrivals put ⌊n̄⌋ or ⌈n̄⌉ into a window: D = f(1−f)/n̄ with f the fraction of n̄, and 0.2 is
allowed on top for requests that left a little late.

What was sent is held beside what was intended. If the schedule itself is off, that is a bug and
the step is worth nothing; if only the sends are, they were late, for whatever reason, and the
service met another load than the one on record: noisy. Whether the generator was at fault is for
its lag to say.
"""

import math
from typing import TYPE_CHECKING

import numpy as np

from breakstep.analysis.words import counted
from breakstep.model.plan import Arrivals
from breakstep.model.record import Check, TrustName
from breakstep.model.units import NS_PER_MS, NS_PER_S, format_duration

if TYPE_CHECKING:
    from numpy.typing import NDArray

WINDOWS_NS = (10 * NS_PER_MS, 100 * NS_PER_MS, NS_PER_S)
WINDOWS_MIN = 10
SIGMAS = 4.0
TRIFLE = 0.1
UNIFORM_ALLOWED = 0.2
COUNTS_MIN = 50
"""Fewer sends than this tell nothing."""


def dispersion_checks(
    intended_ns: "NDArray[np.int64]",
    sent_ns: "NDArray[np.int64]",
    window_ns: tuple[int, int],
    law: Arrivals,
) -> list[Check]:
    """One check a window length, over the step's hold `window_ns`; arrays of instants, any order.

    Leave out what was never sent. Instants outside the hold are passed over.
    """
    checks = []
    for length_ns in WINDOWS_NS:
        sent, planned = (_counts(at_ns, window_ns, length_ns) for at_ns in (sent_ns, intended_ns))
        if len(sent) >= WINDOWS_MIN and planned.sum() >= COUNTS_MIN and sent.sum() > 0:
            checks.append(_check(length_ns, planned, sent, law))
    return checks


def dispersion(counts: "NDArray[np.int64]") -> float:
    """Variance over mean of counts; at least two, not all zero."""
    return float(counts.var(ddof=1) / counts.mean())


def off(counts: "NDArray[np.int64]", law: Arrivals) -> bool:
    """Whether the counts are not those of the law."""
    found, mean = dispersion(counts), float(counts.mean())
    if law == "uniform":
        fraction = mean % 1.0
        return found > UNIFORM_ALLOWED + fraction * (1.0 - fraction) / mean
    return abs(found - 1.0) > TRIFLE and abs(_z(found, len(counts) - 1)) > SIGMAS


def _z(found: float, freedom: int) -> float:
    variance = 2.0 / (9.0 * freedom)
    return (math.cbrt(found) - (1.0 - variance)) / math.sqrt(variance)


def _check(
    length_ns: int, planned: "NDArray[np.int64]", sent: "NDArray[np.int64]", law: Arrivals
) -> Check:
    found, length = dispersion(sent), format_duration(length_ns)
    ideal = 1.0 if law == "poisson" else 0.0
    says = (
        f"sends in windows of {length} vary {found:.2f} times as much as their mean "
        f"(over {counted(len(sent))} windows; {law} arrivals: {ideal:g})"
    )
    verdict: TrustName = "trusted"
    if off(planned, law):
        verdict = "invalid"
        says += ": the schedule itself is wrong, which is a bug in breakstep"
    elif off(sent, law):
        verdict = "noisy"
        says += ": requests left late and bunched; see the lateness of the step"
    name = f"dispersion_{length.replace(' ', '')}"
    return Check(name, found, _limit(sent, law), verdict, says)


def _limit(counts: "NDArray[np.int64]", law: Arrivals) -> float:
    """The largest dispersion that is no breach."""
    mean = float(counts.mean())
    if law == "uniform":
        fraction = mean % 1.0
        return UNIFORM_ALLOWED + fraction * (1.0 - fraction) / mean
    variance = 2.0 / (9.0 * (len(counts) - 1))
    return max(1.0 + TRIFLE, (1.0 - variance + SIGMAS * math.sqrt(variance)) ** 3)


def _counts(
    at_ns: "NDArray[np.int64]", window_ns: tuple[int, int], length_ns: int
) -> "NDArray[np.int64]":
    """Counts in whole windows; what is left over at the end is left out."""
    from_ns, to_ns = window_ns
    windows = (to_ns - from_ns) // length_ns
    inside = at_ns[(at_ns >= from_ns) & (at_ns < from_ns + windows * length_ns)]
    return np.bincount((inside - from_ns) // length_ns, minlength=windows).astype(np.int64)
