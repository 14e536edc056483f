"""The network between generator and service, or its limits in the kernel.

    shown      most failures have a cause of the network's (no route, no local port left)
    possible   segments were sent again, or packets dropped, at the break and not before

On one machine there is no network to fail, only its limits.
"""

from breakstep.analysis.words import percent
from breakstep.diagnosis.candidate import Candidate
from breakstep.diagnosis.evidence import fact, row
from breakstep.diagnosis.observed import Observed
from breakstep.model.finding import Evidence
from breakstep.model.record import StepRecord

MOST = 0.5
"""Of the failures."""
RETRANSMITTED = 0.01
"""Segments sent again to requests offered; a request takes a segment each way at least."""
DROPPED_PER_S = 1.0
CAUSES = frozenset(
    {
        "host unreachable",
        "network unreachable",
        "connection timed out in the kernel",
        "no local port left on the generator",
    }
)
REMEDY = (
    "Look at the path between generator and service: its bandwidth, firewalls that track "
    "connections, ports and their TIME_WAIT (keep connections alive)."
)
EXPERIMENT = "measure again on the service's own machine: if it then holds more, it was the network"


def network(observed: Observed) -> Candidate | None:
    """Whether the network was the limit."""
    broken = observed.broken
    if broken is None:
        return None
    failed = _failed(broken)
    lost = (*_lost(observed, "retransmits"), *_lost(observed, "net_dropped"))
    if not failed and not lost:
        return None
    return Candidate(
        kind="network",
        resource="network",
        weight="shown" if failed else "possible",
        says="Connections failed on the way to the service."
        if failed
        else "Packets were lost on the way to or from the service.",
        evidence=(*failed, *lost),
        remedy=REMEDY,
        experiment=EXPERIMENT,
        confidence="medium" if failed else "low",
    )


def _failed(broken: StepRecord) -> tuple[Evidence, ...]:
    failures = broken.arrivals - broken.ok
    ours = {cause: n for cause, n in sorted(broken.causes.items()) if cause in CAUSES and n}
    if not ours or sum(ours.values()) < MOST * failures:
        return ()
    return tuple(
        fact(
            "failures",
            count / failures,
            "share",
            broken.index,
            f"{percent(count / failures)} of the failures: {cause}",
        )
        for cause, count in ours.items()
    )


def _lost(observed: Observed, name: str) -> tuple[Evidence, ...]:
    """A loss that came with the break."""
    break_per_s = observed.break_per_s or 0.0
    for track in observed.tracks("host", name):
        top = track.top(break_per_s)
        least = RETRANSMITTED * break_per_s if name == "retransmits" else DROPPED_PER_S
        calm = max((point.value for point in track.below(break_per_s)), default=0.0)
        if top is not None and top.value > max(least, 2.0 * calm):
            says = "sent again" if name == "retransmits" else "dropped by an interface"
            return (row(track, top, f"a second, {says}; far fewer at lighter loads"),)
    return ()
