"""Watches the host from the first step to the last."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from breakstep._engine import WakeSample
from breakstep.analysis.host_noise import calibration_checks, clock_check
from breakstep.analysis.periodicity import find_period, periodicity_check
from breakstep.engine.host.calibration import Calibrator
from breakstep.engine.host.clock import clock_cost
from breakstep.engine.host.watch import HostSample, HostWatch
from breakstep.model.record import Check

ROUNDS_BEFORE = 10
EVENTS_MAX = 10_000
"""Late wake-ups kept for the search of a rhythm."""


@dataclass(slots=True)
class HostGuard:
    """The host in each hold, and what only the whole run tells.

    The calibration loop takes a core for about 10 ms: it runs between holds only.
    """

    watch: HostWatch
    calibrator: Calibrator = field(default_factory=Calibrator)
    _late_wall_ns: list[int] = field(default_factory=list)

    @classmethod
    def on(cls, cores: Sequence[int]) -> "HostGuard":
        """Starts to watch. Raises EngineError for a core that is not there."""
        guard = cls(HostWatch(cores))
        for _ in range(ROUNDS_BEFORE):
            guard.calibrator.round()
        guard.watch.start()
        return guard

    def between(self) -> None:
        """Between two steps."""
        self.calibrator.round()

    def hold_begins(self) -> None:
        """What happened before the hold is not the hold's."""
        self._remember(self.watch.take().wakes)

    def hold_ended(self) -> HostSample:
        """What the host did in the hold."""
        sample = self.watch.take()
        self._remember(sample.wakes)
        return sample

    def checks(self, watched_ns: int) -> list[Check]:
        """Of the whole run, which took so long."""
        events = np.array(sorted(self._late_wall_ns), dtype=np.int64)
        return [
            *(_label(check) for check in calibration_checks(self.calibrator.result())),
            clock_check(clock_cost()),
            periodicity_check(find_period(events, watched_ns)),
        ]

    def stop(self) -> None:
        """Ends the watch."""
        self.watch.stop()

    def _remember(self, wakes: Sequence[WakeSample]) -> None:
        late = [planned_ns for sample in wakes for planned_ns, _ in sample.events]
        self._late_wall_ns += late[: EVENTS_MAX - len(self._late_wall_ns)]


def _label(check: Check) -> Check:
    """A change of speed is said; whether it harmed a step is for the step's own checks to say."""
    return replace(check, verdict="noisy") if check.verdict == "invalid" else check
