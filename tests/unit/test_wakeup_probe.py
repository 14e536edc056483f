"""The thread that only sleeps."""

import os
import time

import pytest

from breakstep._engine import WakeProbe
from breakstep.engine.host.watch import HostWatch
from breakstep.model.errors import EngineError


def test_instants_are_counted_by_core_and_taken_once() -> None:
    """A thousand a second on each core, whatever else the machine does."""
    cores = sorted(os.sched_getaffinity(0))
    probe = WakeProbe(cores)
    began_ns = time.monotonic_ns()
    probe.start()
    time.sleep(0.3)
    first, second = probe.take(), probe.take()
    passed_ms = (time.monotonic_ns() - began_ns) / 1e6
    probe.stop()
    assert [sample.core for sample in first] == cores
    for one, two in zip(first, second, strict=True):
        assert 100 <= one.lateness.count <= passed_ms + 2
        assert two.lateness.count < 100 + passed_ms - 300


def test_late_wake_ups_are_kept_with_their_wall_time() -> None:
    """With a threshold of nothing every wake-up is an event."""
    probe = WakeProbe(late_ns=0)
    before_ns = time.time_ns()
    probe.start()
    time.sleep(0.05)
    (sample,) = probe.take()
    probe.stop()
    assert sample.core is None
    assert sample.forgotten == 0
    instants = [planned_ns for planned_ns, _ in sample.events]
    assert instants == sorted(instants)
    assert all(0 <= at_ns - before_ns < 5_000_000_000 for at_ns in instants)


def test_a_probe_that_does_not_run_has_nothing_to_give() -> None:
    """Neither before the start nor after the end; stopping twice is harmless."""
    probe = WakeProbe()
    with pytest.raises(RuntimeError, match="not running"):
        probe.take()
    probe.start()
    probe.stop()
    probe.stop()
    with pytest.raises(RuntimeError, match="not running"):
        probe.take()


def test_a_core_that_is_not_there_is_refused() -> None:
    """By number at once, by the system at the start, and with a remedy by the watch."""
    with pytest.raises(ValueError, match="from 0 to 1023"):
        WakeProbe([1024])
    with pytest.raises(OSError, match="Invalid argument"):
        WakeProbe([1023]).start()
    with pytest.raises(EngineError, match="--pin"):
        HostWatch([1023]).start()


def test_a_watch_says_what_happened_since_the_last_take() -> None:
    """Wake-ups and counters over the same time."""
    watch = HostWatch(sorted(os.sched_getaffinity(0))[:1])
    watch.start()
    time.sleep(0.2)
    sample = watch.take()
    watch.stop()
    assert sample.wakes[0].lateness.count > 50
    assert sample.use.wall_s >= 0.2
    assert sample.use.cores[sample.cores[0]].ours > 0.0
