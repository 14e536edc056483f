"""No cause was seen: what the client saw, and which signals would tell more."""

from breakstep.analysis.words import percent
from breakstep.diagnosis.config_error import failures_by_kind
from breakstep.diagnosis.evidence import fact, rate
from breakstep.diagnosis.missing import missing, probed
from breakstep.diagnosis.observed import Observed
from breakstep.model.finding import Alternative, Evidence, Finding
from breakstep.model.record import StepRecord
from breakstep.model.units import NS_PER_MS, format_duration


def not_observed(observed: Observed, alternatives: tuple[Alternative, ...] = ()) -> Finding:
    """A finding that names no resource, with what is open."""
    return Finding(
        kind="not_observed",
        resource=None,
        confidence="low",
        says=_says(observed),
        evidence=_seen(observed),
        alternatives=alternatives,
        missing=missing(observed),
        remedy=_remedy(observed),
    )


def _says(observed: Observed) -> str:
    if not observed.seen:
        return "Nothing was measured, so there is nothing to explain."
    if observed.break_per_s is None:
        return "The service did not break, so there is nothing to explain."
    if not probed(observed):
        return "What broke was not observed: no signal of the server was sampled."
    return "What broke was not observed: none of the signals sampled was at its limit."


def _seen(observed: Observed) -> tuple[Evidence, ...]:
    broken = observed.broken
    if broken is None:
        return ()
    return (*_latency(broken), *_failures(broken))


def _latency(broken: StepRecord) -> tuple[Evidence, ...]:
    service = broken.service_ms.p50
    if service is None:
        return ()
    took = format_duration(service * NS_PER_MS)
    says = f"half of the requests at {rate(broken.offered_per_s)} took {took} or less once sent"
    return (fact("service time p50", service, "ms", broken.index, says),)


def _failures(broken: StepRecord) -> tuple[Evidence, ...]:
    failed = broken.arrivals - broken.ok
    if failed <= 0:
        return ()
    kinds = sorted(failures_by_kind(broken).items(), key=lambda pair: (-pair[1], pair[0]))
    what, share = kinds[0][0], failed / broken.arrivals
    says = f"{percent(share)} failed at {rate(broken.offered_per_s)}, most with {what}"
    return (fact("failed share", share, "share", broken.index, says),)


def _remedy(observed: Observed) -> str | None:
    if observed.break_per_s is None:
        return None
    return "Measure again with probes: see the signals that were missing."
