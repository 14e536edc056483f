"""Watches the host from the first step to the last."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from breakstep._engine import WakeSample
from breakstep.analysis.gate import (
    AFTER_THE_LAST_LOAD,
    BEFORE_THE_FIRST_LOAD,
    both_ends,
    gate_checks,
)
from breakstep.analysis.host_noise import calibration_checks, clock_check
from breakstep.analysis.periodicity import find_period, periodicity_check
from breakstep.engine.host.calibration import Calibrator
from breakstep.engine.host.clock import clock_cost
from breakstep.engine.host.watch import HostSample, HostWatch
from breakstep.model.record import Check
from breakstep.model.slo import Slo
from breakstep.model.units import NS_PER_MS, NS_PER_S

ROUNDS_BEFORE = 10
LOOK_NS = 50 * NS_PER_MS
EVENTS_MAX = 10_000
"""Late wake-ups kept for the search of a rhythm."""


@dataclass(slots=True)
class HostGuard:
    """The host in each hold, and what only the whole run tells.

    The calibration loop takes a core for about 10 ms: it runs between holds only.
    """

    watch: HostWatch
    calibrator: Calibrator = field(default_factory=Calibrator)
    _began_ns: int = 0
    _before: list[Check] = field(default_factory=list)
    _after: list[Check] = field(default_factory=list)
    _kept: list[Check] = field(default_factory=list)
    _late_wall_ns: list[int] = field(default_factory=list)

    @classmethod
    def on(cls, cores: Sequence[int]) -> "HostGuard":
        """Starts to watch. Raises EngineError for a core that is not there."""
        guard = cls(HostWatch(cores))
        for _ in range(ROUNDS_BEFORE):
            guard.calibrator.round()
        guard.watch.start()
        guard._began_ns = time.monotonic_ns()
        return guard

    def gate_before(
        self, slos: Sequence[Slo], length_ns: int, stopping: Callable[[], bool]
    ) -> list[str]:
        """Why the host is not fit, if it is not, once it has been watched for this long.

        The time since the start counts, whatever was done in it.
        """
        _wait_until(self._began_ns + length_ns, stopping)
        self._before = gate_checks(self._taken(), slos, BEFORE_THE_FIRST_LOAD)
        return [check.says for check in self._before if check.verdict == "invalid"]

    def gate_after(self, slos: Sequence[Slo], length_ns: int, stopping: Callable[[], bool]) -> None:
        """Watches the host once more, with no load."""
        if stopping():
            return
        self._taken()
        _wait_until(time.monotonic_ns() + length_ns, stopping)
        self._after = gate_checks(self._taken(), slos, AFTER_THE_LAST_LOAD)

    def between(self) -> None:
        """Between two steps."""
        self.calibrator.round()

    def hold_begins(self) -> None:
        """What happened before the hold is not the hold's."""
        self._taken()

    def hold_ended(self) -> HostSample:
        """What the host did in the hold."""
        return self._taken()

    def keep(self, checks: Sequence[Check]) -> None:
        """Checks of the whole run that were made elsewhere."""
        self._kept += checks

    def checks(self, watched_ns: int) -> list[Check]:
        """Of the whole run, which took so long."""
        events = np.array(sorted(self._late_wall_ns), dtype=np.int64)
        return [
            *both_ends(self._before, self._after),
            *self._kept,
            *(_label(check) for check in calibration_checks(self.calibrator.result())),
            clock_check(clock_cost()),
            periodicity_check(find_period(events, watched_ns)),
        ]

    def stop(self) -> None:
        """Ends the watch."""
        self.watch.stop()

    def _taken(self) -> HostSample:
        sample = self.watch.take()
        self._remember(sample.wakes)
        return sample

    def _remember(self, wakes: Sequence[WakeSample]) -> None:
        late = [planned_ns for sample in wakes for planned_ns, _ in sample.events]
        self._late_wall_ns += late[: EVENTS_MAX - len(self._late_wall_ns)]


def _wait_until(end_ns: int, stopping: Callable[[], bool]) -> None:
    while not stopping() and (left_ns := end_ns - time.monotonic_ns()) > 0:
        time.sleep(min(left_ns, LOOK_NS) / NS_PER_S)


def _label(check: Check) -> Check:
    """A change of speed is said; whether it harmed a step is for the step's own checks to say."""
    return replace(check, verdict="noisy") if check.verdict == "invalid" else check
