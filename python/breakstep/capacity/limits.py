"""What one node should let in, so that too much load costs the excess and not the service.

    rate         K_r
    burst        K_r · (T − R)    what a node works off within the slack of its tightest SLO
    concurrency  max(1.2 · N, N + 3.1 · √N),  N = K_r · R̄ in flight on average, by Little's law

T is the bound of the SLO, R that quantile at the lightest load, R̄ the mean response time at the
highest load that held. Of few in flight a fifth more is no room at all: with 3 on average there are
more than 3.6 a third of the time even without a queue. 3.1 standard deviations turn away one of a
thousand. Where a sweep found the users at which throughput peaks, no more of them are let in.
"""

from collections.abc import Sequence
from math import ceil, floor, sqrt

from breakstep.model.capacity import Limits
from breakstep.model.record import Result, StepRecord
from breakstep.model.slo import QUANTILES, parse_slo
from breakstep.model.sweep import Usl
from breakstep.model.units import NS_PER_MS, format_rate

MARGIN, CHANCE = 1.2, 3.1
OVERLOAD, KEPT = 1.5, 0.95
"""To try the limit, so much of the rate is offered, and so much of it has to be served well."""
_FIELDS = {"p99.9": "p99_9"}


def limits(results: Sequence[Result], rated_per_s: float, usl: Usl | None) -> Limits:
    """The limits of a node that is counted on for so much."""
    passed = [s for result in results for s in result.steps if s.verdict.name == "pass"]
    burst = _burst(results[0], passed, rated_per_s)
    concurrency, peak = _concurrency(passed, rated_per_s), None if usl is None else usl.n_max
    if concurrency is not None and peak is not None:
        concurrency = min(concurrency, floor(peak))
    return Limits(rated_per_s, burst, concurrency, _says(rated_per_s, burst, concurrency, peak))


def _burst(result: Result, passed: Sequence[StepRecord], rated_per_s: float) -> int | None:
    slacks = [
        slack
        for text in result.plan.get("slos", ())
        if (slack := _slack_s(text, passed)) is not None
    ]
    return max(1, floor(rated_per_s * min(slacks))) if slacks else None


def _slack_s(text: str, passed: Sequence[StepRecord]) -> float | None:
    """What the lightest load leaves of a latency bound on all requests."""
    try:
        slo = parse_slo(text)
    except ValueError:  # of a later breakstep, or not of one at all
        return None
    if slo.kind != "latency" or slo.request is not None or not passed:
        return None
    name = next(name for name, quantile in QUANTILES.items() if quantile == slo.quantile)
    lightest = min(passed, key=lambda step: step.offered_per_s)
    took_ms: float | None = getattr(lightest.response_ms, _FIELDS.get(name, name))
    if took_ms is None:
        return None
    return max(0.0, slo.bound_ns / NS_PER_MS - took_ms) / 1000.0


def _concurrency(passed: Sequence[StepRecord], rated_per_s: float) -> int | None:
    if not passed:
        return None
    mean_ms = max(passed, key=lambda step: step.offered_per_s).response_ms.mean
    if mean_ms is None:
        return None
    in_flight = rated_per_s * mean_ms / 1000.0
    return ceil(max(MARGIN * in_flight, in_flight + CHANCE * sqrt(in_flight)))


def _says(
    rated_per_s: float, burst: int | None, concurrency: int | None, peak: float | None
) -> str:
    parts = [f"{format_rate(rated_per_s)}/s a node"]
    parts += [] if burst is None else [f"{burst} at once"]
    parts += [] if concurrency is None else [f"{concurrency} in flight"]
    fall = "" if peak is None else f"; with more than {peak:.0f} users throughput falls (USL)"
    return (
        f"{', '.join(parts)}{fall}. Try it: offer {format_rate(OVERLOAD * rated_per_s)}/s; at "
        f"least {format_rate(KEPT * rated_per_s)}/s of it have to be served well"
    )
