"""One exception for each way of failing; a message says what, where and the remedy."""

from collections.abc import Sequence


class BreakstepError(Exception):
    """Base of every error that breakstep raises on purpose."""


class PlanError(BreakstepError):
    """The plan cannot be carried out as written; `faults` lists every fault with its place."""

    def __init__(self, faults: Sequence[str]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(self.faults))


class TargetError(BreakstepError):
    """The target could not be reached, or does not speak what was asked of it."""


class EngineError(BreakstepError):
    """The load generator itself failed."""


class ProbeError(BreakstepError):
    """A server-side signal could not be read."""


class StoreError(BreakstepError):
    """A run directory could not be written or read."""


class LabError(BreakstepError):
    """A lab's server could not be started, or something that it needs is missing."""
