"""The host did not let things run: stalls, steal, a clock or cores that do not hold still.

    shown      the answer was withheld, or the search ended, for a check of the host
    inferred   the host was full, mostly with programs that nobody probed (strangers.py); or the
               whole service stood still now and then, at the break and at a load of 0.75 of it or
               less (or the lowest load broke already)
    possible   a check of the host raised a doubt at the break

A stall is told from a slow request by what it does to the others: everybody who came meanwhile
waits for its end, so that the most in flight at once is about λ · the longest response time. It is
told from a queue by its being there at light load, with the median of an unloaded service.
"""

from dataclasses import replace
from math import sqrt

from breakstep.diagnosis.candidate import Candidate, Weight
from breakstep.diagnosis.distrust import decisive_checks, is_host_check, noisy_checks
from breakstep.diagnosis.evidence import fact, rate, row
from breakstep.diagnosis.observed import Observed
from breakstep.diagnosis.strangers import Strangers, strangers
from breakstep.model.finding import Evidence
from breakstep.model.record import Check, StepRecord
from breakstep.model.units import NS_PER_MS, format_duration

STALL_RATIO = 5.0
"""Longest response time to the median."""
STALL_PILE = 0.4
"""In flight at most / (λ · longest response time). 1 for evenly spaced arrivals."""
PILE_SIGMAS, PILE_MIN = 4.0, 5.0
"""In flight at most, above its mean: by chance it does not get there."""
CALM_RATIO = 1.5
"""The median against that of the lightest load: a queue would have raised it."""
LIGHT = 0.75
"""Of the breaking load: queues of random arrivals are short there."""
REMEDY = (
    "Stop what else runs on the machine, use one with dedicated cores, or look for a job that runs "
    "at a fixed time (`breakstep doctor --noise`); then measure again."
)
_LATE = "The machine itself stalled: threads that were ready were not run in time."
_STALLED = (
    "The whole service stood still now and then, at light load too: the machine, another program "
    "that stops it, or a collector."
)
EXPERIMENT = "measure again on a quiet machine: if the tail is gone, it was the host"


def host_noise(observed: Observed) -> Candidate | None:
    """Whether the host, not the load, made requests late."""
    failed = [check for check in decisive_checks(observed) if is_host_check(check)]
    if failed:
        return _candidate(observed, failed, "shown")
    broken = observed.broken
    if broken is None:
        return None
    noisy = [check for check in noisy_checks(broken) if is_host_check(check)]
    if (others := strangers(observed)) is not None:
        return _crowded(observed, others)
    if stalls := _stalls(observed, broken):
        return _candidate(observed, noisy, "inferred", stalls)
    return _candidate(observed, noisy, "possible") if noisy else None


def _candidate(
    observed: Observed, checks: list[Check], weight: Weight, more: tuple[Evidence, ...] = ()
) -> Candidate:
    step = observed.broken or observed.seen[-1].step
    rows = tuple(
        fact(f"check {check.name}", check.value or 0.0, "", step.index, check.says)
        for check in checks
    )
    return Candidate(
        kind="host_noise",
        resource="host",
        weight=weight,
        says=_STALLED if weight == "inferred" else _LATE,
        evidence=(*rows, *more),
        remedy=REMEDY,
        experiment=EXPERIMENT,
        confidence="high" if weight == "shown" else None,
    )


def _crowded(observed: Observed, others: Strangers) -> Candidate:
    """A host that is full of something else."""
    used = f"{others.cores:.3g} of the {others.of_cores:.3g} cores used"
    rows = (
        row(others.host, others.peak, "how busy the host was"),
        fact(f"{others.host.source} cpu of others", others.cores, "cores", others.peak.step, used),
    )
    return replace(
        _candidate(observed, [], "inferred", rows),
        resource=others.host.source,
        says=f"Programs that nobody probed took {used} on {others.host.source}, which was full.",
        experiment="stop what else runs there, or probe it if it is part of the service",
    )


def _stalls(observed: Observed, broken: StepRecord) -> tuple[Evidence, ...]:
    """The stalls of the break and of a lighter load; none if it does not look so."""
    lightest = min(observed.valid, key=lambda seen: seen.step.offered_per_s).step
    light = [s.step for s in observed.valid if s.step.offered_per_s <= LIGHT * broken.offered_per_s]
    at_light = [step for step in light if _stalled(step, lightest)]
    lowest = broken.offered_per_s == lightest.offered_per_s
    if not _stalled(broken, lightest) or not (at_light or lowest):
        return ()
    return tuple(_row(step) for step in (*at_light[-1:], broken))


def _stalled(step: StepRecord, lightest: StepRecord) -> bool:
    p50, longest, calm = step.response_ms.p50, step.response_ms.max, lightest.response_ms.p50
    if p50 is None or longest is None or calm is None or step.queue == "growing":
        return False
    pile = step.in_flight.max - step.in_flight.mean
    by_chance = PILE_MIN + PILE_SIGMAS * sqrt(max(0.0, step.in_flight.mean))
    arrived = step.offered_per_s * longest / 1000.0
    waited_out = longest >= STALL_RATIO * p50 and step.in_flight.max >= STALL_PILE * arrived
    return p50 <= CALM_RATIO * calm and pile >= by_chance and waited_out


def _row(step: StepRecord) -> Evidence:
    longest_ms, p50_ms = step.response_ms.max or 0.0, step.response_ms.p50 or 0.0
    says = (
        f"at {rate(step.offered_per_s)} the median was {format_duration(p50_ms * NS_PER_MS)}, the "
        f"longest {format_duration(longest_ms * NS_PER_MS)}, and {step.in_flight.max} requests "
        "waited at once: everything stood still for as long"
    )
    return fact("response max", longest_ms, "ms", step.index, says)
