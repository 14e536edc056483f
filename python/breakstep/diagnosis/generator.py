"""The generator was the limit: a check of its own failed, or it filled the cores it shares.

    shown      the answer was withheld, or the search ended, for a check of the generator
    inferred   it used more of the full cores than any program of the service

Its own lag may as well come from a host that did not run it; where wake-ups of an idle thread
came late too, and its median lag is fine, that is `host_noise`.
"""

from breakstep.diagnosis.candidate import Candidate
from breakstep.diagnosis.cpu import full_rooms
from breakstep.diagnosis.distrust import decisive_checks, is_host_check
from breakstep.diagnosis.evidence import fact, row, shown
from breakstep.diagnosis.observed import Observed
from breakstep.model.record import Check

REMEDY = (
    "Run the generator on a machine of its own, or give it more --workers and cores of its own "
    "(--pin); then measure again."
)
EXPERIMENT = "measure again from another machine: if it then breaks at a higher load, this was it"
_OF_OTHERS = frozenset({"core_shared"})
"""The generator's own core, used by others: its fault as far as the service is concerned."""


def generator(observed: Observed) -> Candidate | None:
    """Whether the generator, not the service, was at its end."""
    failed = [check for check in decisive_checks(observed) if not is_host_check(check)]
    if failed and _its_own(observed, failed):
        return _failed(observed, failed)
    return _crowding(observed)


def _its_own(observed: Observed, failed: list[Check]) -> bool:
    """Lag alone is the host's doing if the host was late for everybody."""
    late_host = any(is_host_check(check) for check in decisive_checks(observed))
    certain = [check for check in failed if not check.name.startswith("lag_of_")]
    return bool(certain) or not late_host


def _failed(observed: Observed, failed: list[Check]) -> Candidate:
    step = observed.seen[-1].step.index if observed.seen else None
    evidence = tuple(
        fact(f"check {check.name}", check.value or 0.0, "", step, check.says) for check in failed
    )
    crowded = any(check.name in _OF_OTHERS for check in failed)
    what = "others used the generator's core" if crowded else "the load generator was at its limit"
    return Candidate(
        kind="generator",
        resource="generator",
        weight="shown",
        says=f"The load generator was the limit, not the service: {what}.",
        evidence=evidence,
        remedy=REMEDY,
        experiment=EXPERIMENT,
        confidence="high",
    )


def _crowding(observed: Observed) -> Candidate | None:
    """It filled a core, or most of all cores, that the service needed as well.

    One that spins fills its core on purpose.
    """
    if observed.plan.get("spin"):
        return None
    for room in full_rooms(observed):
        one = room.consumer
        if one is None or one.role != "generator":
            continue
        used = one.cpu.top(observed.break_per_s or 0.0)
        if used is None:
            continue
        says = f"the generator used {shown(used.value, 'cores')} of {room.name}, which was full"
        return Candidate(
            kind="generator",
            resource="generator",
            weight="inferred",
            says=f"Beside the service {says}: it may have taken what the service needed.",
            evidence=(row(one.cpu, used, says), row(room.business, room.peak, "how busy that was")),
            remedy=REMEDY,
            experiment=EXPERIMENT,
        )
    return None
