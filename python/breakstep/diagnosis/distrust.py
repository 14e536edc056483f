"""Which self-checks decided that a measurement was worth nothing, and whose fault they show."""

from breakstep.diagnosis.observed import Observed
from breakstep.model.record import Check, StepRecord, TrustName

_HOST = ("wakeups", "steal", "calibration_", "clock", "periodicity")
_NOBODYS = ("halves", "little", "retransmissions")
"""They tell of the service, of breakstep or of the network."""


def is_host_check(check: Check) -> bool:
    """Whether it tells of the host rather than of the generator."""
    return check.name.startswith(_HOST)


def decisive_checks(observed: Observed) -> list[Check]:
    """The failed checks that the answer was withheld for, or that ended the search.

    A step that was measured again and then believed is not among them.
    """
    if observed.answer.status == "untrusted":
        return breached(observed.trust.checks, "invalid") or _of_last(observed)
    last = observed.seen[-1].step if observed.seen else None
    ended_there = observed.answer.status == "above_ceiling" or observed.break_per_s is None
    if last is not None and last.verdict.name == "invalid" and ended_there:
        return _of_last(observed)
    return []


def noisy_checks(step: StepRecord) -> list[Check]:
    """The checks of a step that raised a doubt."""
    return breached(step.trust.checks, "noisy") + breached(step.trust.checks, "invalid")


def breached(checks: tuple[Check, ...], verdict: TrustName) -> list[Check]:
    """The checks with this verdict, but for those that show neither host nor generator."""
    return [c for c in checks if c.verdict == verdict and not c.name.startswith(_NOBODYS)]


def _of_last(observed: Observed) -> list[Check]:
    invalid = [seen.step for seen in observed.seen if seen.step.verdict.name == "invalid"]
    return breached(invalid[-1].trust.checks, "invalid") if invalid else []
