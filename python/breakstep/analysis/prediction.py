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
RATES, RATES_AROUND = 9, 5
SPREADS = (0.2, 0.05)
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
    rhos = np.tile(np.geomspace(LOWEST_RHO, HIGHEST_RHO, RATES), (RESAMPLINGS, 1))
    found = _crossings(_bad_shares(times_ns, slo.bound_ns, servers, rhos, seed), slo, rhos)
    # ln P bends between far rates: closer ones, around each resampling's own crossing.
    for spread in SPREADS:
        around = np.outer(found, np.linspace(1.0 - spread, 1.0 + spread, RATES_AROUND))
        rhos = np.minimum(around, HIGHEST_RHO)
        found = _crossings(_bad_shares(times_ns, slo.bound_ns, servers, rhos, seed), slo, rhos)
    per_rho = servers * NS_PER_S / float(times_ns.mean())
    low, middle, high = (float(x) * per_rho for x in np.quantile(found, (0.025, 0.5, 0.975)))
    interval = low * (1.0 - ROUGHNESS), high * (1.0 + ROUGHNESS)
    return Prediction(str(slo), servers, middle, interval, len(times_ns))


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
    """The ρ at which the SLO breaks, for each resampling."""
    # A share that dips by chance must not make two crossings.
    logs = np.maximum.accumulate(np.log(np.maximum(shares, 1e-9)), axis=1)
    target = log(1.0 - slo.quantile)
    pairs = zip(logs, rhos, strict=True)
    return np.array([np.interp(target, line, at) for line, at in pairs])


def _bad_shares(times_ns: Table, bound_ns: float, servers: int, rhos: Table, seed: int) -> Table:
    """P(R > bound) at each ρ; one row a resampling."""
    random, lines = np.random.default_rng(seed), RESAMPLINGS * QUEUES
    # Each resampling draws its own sample first: that is what makes the interval honest.
    samples = random.choice(times_ns, (RESAMPLINGS, len(times_ns)))
    picks = random.integers(0, len(times_ns), (ARRIVALS, lines))
    services = samples[np.repeat(np.arange(RESAMPLINGS), QUEUES), picks]
    gaps = random.exponential(times_ns.mean() / servers, (ARRIVALS, lines))
    slower = 1.0 / np.repeat(rhos, QUEUES, axis=0)
    over, rates = np.zeros(slower.shape), rhos.shape[1]
    free = np.zeros((slower.size, servers))
    rows = np.arange(len(free))
    for number in range(ARRIVALS):
        # Time is counted from each arrival: what is left of a server's work shrinks by the gap.
        free -= (gaps[number][:, None] * slower).reshape(-1, 1)
        first = free.argmin(axis=1)
        ends = np.maximum(free[rows, first], 0.0) + np.repeat(services[number], rates)
        free[rows, first] = ends
        if number >= SETTLING:
            over += ends.reshape(over.shape) > bound_ns
    by_resampling = over.reshape(RESAMPLINGS, QUEUES, rates).mean(axis=1)
    shares: Table = by_resampling / (ARRIVALS - SETTLING)
    return shares
