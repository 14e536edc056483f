"""The breaking load foretold from light load: the service's own times through a simulated queue.

    S    response times of lone arrivals at light load: service and network, without any queue
    c    servers, first come first served
    λ*   the rate of Poisson arrivals at which P(R > bound) reaches 1 − q

S is resampled into independent services of a queue of c servers. With W the times at which the
servers become free, an arrival at A takes the first: start = max(A, min W), end = start + S. Many
queues run side by side, one for each of B resamplings of S and each of L rates; services and gaps
are common to the rates. ln P is interpolated in λ. The interval is that of the B crossings, for the
uncertainty of S and of the simulation, and 1.5 % on either side for that of the interpolation.

Taking all response times for services, queueing included, would foretell a knee far too low. It
fails for services that share their time, batch, warm up with load, or have unknown c.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from breakstep.analysis.rows import Rows
from breakstep.analysis.words import counted, percent
from breakstep.model.slo import Slo
from breakstep.model.units import NS_PER_S, format_rate

LONE_MIN = 1_000
RESAMPLINGS = 16
QUEUES = 6
"""Side by side for each resampling and rate."""
RATES = 9
ARRIVALS = 12_000
SETTLING = 2_000
ROUGHNESS = 0.015
EXPLAINED = 0.10
LOWEST_RHO = 0.02
HIGHEST_RHO = 0.995

Table = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Prediction:
    """The rate at which `slo` should break with this many servers, and its 95 % interval."""

    slo: str
    servers: int
    knee_per_s: float
    interval_per_s: tuple[float, float]
    lone: int


def lone_times_ns(steps: Sequence[Rows]) -> Table:
    """The times of arrivals that met an empty service, from steps at light load."""
    parts = [(alone.ended_ns - alone.intended_ns) for alone in (rows.lone() for rows in steps)]
    return np.concatenate([*parts, np.empty(0)]).astype(np.float64)


def predict(times_ns: Table, slo: Slo, servers: int, seed: int = 1) -> Prediction | str:
    """The knee from at least 1 000 lone times; a text says why there is none."""
    if len(times_ns) < LONE_MIN:
        return (
            f"{counted(len(times_ns))} arrivals met an empty service, and a prediction takes "
            f"{counted(LONE_MIN)}: hold a lighter load, or the light load longer"
        )
    if float(np.mean(times_ns > slo.bound_ns)) > 1.0 - slo.quantile:
        return f"{slo} is missed without any queue: no load is light enough"
    rhos, found = np.geomspace(LOWEST_RHO, HIGHEST_RHO, RATES), np.empty(0)
    for _ in range(2):
        found = _crossings(_bad_shares(times_ns, slo.bound_ns, servers, rhos, seed), slo, rhos)
        # The second grid lies closely around what the first one found.
        low, high = 0.95 * float(found.min()), 1.05 * float(found.max())
        rhos = np.linspace(max(low, LOWEST_RHO), min(high, HIGHEST_RHO), RATES)
    per_rho = servers * NS_PER_S / float(times_ns.mean())
    low = float(np.quantile(found[1:], 0.025)) * per_rho * (1.0 - ROUGHNESS)
    high = float(np.quantile(found[1:], 0.975)) * per_rho * (1.0 + ROUGHNESS)
    return Prediction(str(slo), servers, float(found[0]) * per_rho, (low, high), len(times_ns))


def compare(prediction: Prediction, measured_per_s: float) -> str:
    """What it means that the service broke where it did."""
    foretold, measured = format_rate(prediction.knee_per_s), format_rate(measured_per_s)
    servers = f"{prediction.servers} server{'s' if prediction.servers > 1 else ''}"
    change = measured_per_s / prediction.knee_per_s - 1.0
    numbers = (
        f"it broke at {measured}/s, and its service times with {servers} foretold {foretold}/s"
    )
    if abs(change) <= EXPLAINED:
        return f"Explained by queueing at {servers}: {numbers}."
    if change < 0.0:
        return (
            f"Breaks {percent(-change)} earlier than its service times explain: {numbers}. Look "
            "for another resource: a lock, a pool, garbage collection, a limit."
        )
    return (
        f"Holds {percent(change)} more than foretold: {numbers}. It has more servers than that, "
        "or gets faster under load."
    )


def _crossings(shares: Table, slo: Slo, rhos: Table) -> Table:
    """The ρ at which the SLO breaks: of all resamplings together first, then of each."""
    lines = np.vstack([shares.mean(axis=0), shares])
    # A share that dips by chance must not make two crossings.
    logs = np.maximum.accumulate(np.log(np.maximum(lines, 1e-9)), axis=1)
    target = log(1.0 - slo.quantile)
    return np.array([np.interp(target, line, rhos) for line in logs])


def _bad_shares(times_ns: Table, bound_ns: float, servers: int, rhos: Table, seed: int) -> Table:
    """P(R > bound), one row a resampling, one column a ρ."""
    random, lines = np.random.default_rng(seed), RESAMPLINGS * QUEUES
    # Each resampling draws its own sample first: that is what makes the interval honest.
    samples = random.choice(times_ns, (RESAMPLINGS, len(times_ns)))
    picks = random.integers(0, len(times_ns), (ARRIVALS, lines))
    services = samples[np.repeat(np.arange(RESAMPLINGS), QUEUES), picks]
    gaps = random.exponential(times_ns.mean() / servers, (ARRIVALS, lines))
    over = np.zeros((lines, len(rhos)))
    free = np.zeros((lines * len(rhos), servers))
    rows = np.arange(len(free))
    for number in range(ARRIVALS):
        # Time is counted from each arrival: what is left of a server's work shrinks by the gap.
        free -= np.outer(gaps[number], 1.0 / rhos).reshape(-1, 1)
        first = free.argmin(axis=1)
        ends = np.maximum(free[rows, first], 0.0) + np.repeat(services[number], len(rhos))
        free[rows, first] = ends
        if number >= SETTLING:
            over += ends.reshape(over.shape) > bound_ns
    by_resampling = over.reshape(RESAMPLINGS, QUEUES, len(rhos)).mean(axis=1)
    shares: Table = by_resampling / (ARRIVALS - SETTLING)
    return shares
