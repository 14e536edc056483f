"""`doctor`: what this machine can measure, before anything is measured on it.

The wake-up probe runs throughout. For the first part of the time nothing else does, then the fixed
piece of work, then closed load on a server without service time.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from breakstep.analysis.examination import Examination, Noise
from breakstep.analysis.host_noise import (
    calibration_checks,
    clock_check,
    core_checks,
    retransmission_checks,
    steal_check,
    throttling_checks,
    wakeup_checks,
)
from breakstep.analysis.judgeable import judgeable
from breakstep.analysis.periodicity import (
    by_second,
    find_period,
    periodicity_check,
    watched_by_second,
)
from breakstep.analysis.trust import trust_of
from breakstep.engine.host.calibration import Calibration, Calibrator
from breakstep.engine.host.clock import ClockCost, clock_cost
from breakstep.engine.host.null_target import generate
from breakstep.engine.host.settings import read_settings
from breakstep.engine.host.watch import HostSample, HostWatch
from breakstep.model.record import Check
from breakstep.model.slo import Slo
from breakstep.model.units import NS_PER_MS, NS_PER_S
from breakstep.plan import limits
from breakstep.session.around import new_run
from breakstep.session.environment import describe

QUIET_SHARE, CALIBRATION_SHARE, LOAD_SHARE = 0.55, 0.15, 0.2
"""Of the time asked for; the rest goes to starting and stopping the server."""
PAUSE_NS = 40 * NS_PER_MS
"""Between two rounds of the fixed piece of work."""
LOOK_NS = 50 * NS_PER_MS
ORDINARY = Slo("latency", quantile=0.99, bound_ns=200 * NS_PER_MS)
"""Where no SLO is named, the machine is held to one that any ordinary machine can judge."""
NOISE_NS = NS_PER_MS
"""From here on a wake-up is late enough for the histogram of noise."""


@dataclass(frozen=True, slots=True)
class Patient:
    """What to look at: for how long, on which cores (none: all the kernel chooses), which SLOs."""

    length_ns: int
    cores: tuple[int, ...] = ()
    slos: tuple[Slo, ...] = ()


def examine(
    patient: Patient, stopping: Callable[[], bool], say: Callable[[str], None]
) -> Examination:
    """Looks for about `length_ns`. Raises EngineError."""
    started_at, settings = datetime.now(UTC), read_settings()
    watch = HostWatch(patient.cores)
    watch.start()
    try:
        say("watching the host while it is left alone")
        _wait(patient.length_ns * QUIET_SHARE, stopping)
        quiet = watch.take()
        clock = None if stopping() else clock_cost()
        calibration = generated = None
        if not stopping():
            say("timing a fixed piece of work")
            calibration = calibrate(patient.length_ns * CALIBRATION_SHARE, stopping)
        watch.take()
        if not stopping():
            say("generating all it can against a server that does nothing")
            length_ns = max(NS_PER_S, round(patient.length_ns * LOAD_SHARE))
            generated = generate(patient.cores, length_ns, stopping)
        loaded = watch.take()
    finally:
        watch.stop()
    slos = patient.slos or (ORDINARY,)
    return Examination(
        id=new_run(),
        settings=settings,
        environment=describe(limits.read_machine(), started_at),
        quiet=quiet,
        clock=clock,
        calibration=calibration,
        loaded=loaded if generated is not None else None,
        generated=generated,
        judged=judgeable(quiet.wakes),
        judged_loaded=() if generated is None else judgeable(loaded.wakes),
        trust=trust_of(_checks(quiet, loaded, slos, clock, calibration)),
        interrupted=stopping(),
    )


def listen(patient: Patient, stopping: Callable[[], bool]) -> Noise:
    """Late wake-ups for `length_ns`, with their period if they keep one. Raises EngineError."""
    started_at = datetime.now(UTC)
    watch = HostWatch(patient.cores, late_ns=NOISE_NS)
    watch.start()
    began_ns, began_wall_ns, events, forgotten = time.monotonic_ns(), time.time_ns(), [], 0
    try:
        while not stopping() and time.monotonic_ns() - began_ns < patient.length_ns:
            rest_ns = patient.length_ns - (time.monotonic_ns() - began_ns)
            _wait(min(rest_ns, NS_PER_S), stopping)
            wakes = watch.take().wakes
            events += [event for wake in wakes for event in wake.events]
            forgotten += sum(wake.forgotten for wake in wakes)
    finally:
        watch.stop()
    watched_ns = time.monotonic_ns() - began_ns
    at_ns = np.array([planned_ns for planned_ns, _ in events], dtype=np.int64)
    period = find_period(at_ns, watched_ns)
    return Noise(
        id=new_run(),
        watched_ns=watched_ns,
        by_second=tuple(map(int, by_second(at_ns))),
        watched_by_second=watched_by_second(began_wall_ns, watched_ns),
        worst_ns=max((late_ns for _, late_ns in events), default=0),
        forgotten=forgotten,
        period=period,
        trust=trust_of([periodicity_check(period)]),
        environment=describe(limits.read_machine(), started_at),
        interrupted=stopping(),
    )


def _checks(
    quiet: HostSample,
    loaded: HostSample,
    slos: Sequence[Slo],
    clock: ClockCost | None,
    calibration: Calibration | None,
) -> list[Check]:
    return [
        *wakeup_checks(quiet.wakes, slos),
        *core_checks(quiet.use, quiet.cores),
        steal_check(quiet.use),
        *calibration_checks(calibration),
        *throttling_checks(loaded.use),
        *retransmission_checks(loaded.use.segments),
        *([] if clock is None else [clock_check(clock)]),
    ]


def calibrate(length_ns: float, stopping: Callable[[], bool]) -> Calibration | None:
    """A fixed piece of work again and again; None for too short a time."""
    end_ns = time.monotonic_ns() + length_ns
    calibrator = Calibrator()
    while not stopping() and time.monotonic_ns() < end_ns:
        calibrator.round()
        _wait(PAUSE_NS, stopping)
    return calibrator.result()


def _wait(length_ns: float, stopping: Callable[[], bool]) -> None:
    end_ns = time.monotonic_ns() + length_ns
    while not stopping() and (left_ns := end_ns - time.monotonic_ns()) > 0:
        time.sleep(min(left_ns, LOOK_NS) / NS_PER_S)
