"""Two readings of the counters, and what happened between them."""

import os
import threading

import pytest

from breakstep.engine.host.calibration import Calibrator, summarise
from breakstep.engine.host.cgroup import Throttling
from breakstep.engine.host.clock import READS, TRIES, clock_cost
from breakstep.engine.host.cores import CoreTimes
from breakstep.engine.host.counters import Counters, between, read_counters
from breakstep.engine.host.segments import Segments
from breakstep.engine.host.threads import ThreadTimes, read_threads
from breakstep.model.units import NS_PER_S


def counters(at_s: float, busy: int, threads: dict[int, ThreadTimes]) -> Counters:
    """A machine with two cores; the first has been busy for so many ticks of the time."""
    ticks = round(100 * at_s)
    cores = {0: CoreTimes(ticks - busy, 0, ticks), 1: CoreTimes(ticks, 0, ticks)}
    return Counters(round(at_s * NS_PER_S), cores, Segments(ticks, 0), Throttling(3), threads)


def test_what_others_use_of_a_core_leaves_out_our_own_pinned_threads() -> None:
    """Those with a choice of cores are not held against any one of them."""
    before = counters(1.0, 0, {7: ThreadTimes("breakstep-0", 0, 0, 0)})
    after = counters(
        3.0,
        150,
        {
            7: ThreadTimes("breakstep-0", 0, NS_PER_S // 2, 0),
            8: ThreadTimes("python", None, NS_PER_S, 0),
        },
    )
    use = between(before, after)
    assert use.cores[0].busy == pytest.approx(0.75)
    assert use.cores[0].ours == pytest.approx(0.25)
    assert use.cores[0].others == pytest.approx(0.50)
    assert use.process_cores == pytest.approx(0.75)
    assert (use.wall_s, use.throttled, use.segments.sent) == (2.0, 0, 200)


def test_this_machine_can_be_read() -> None:
    """Its cores, its counters and our own threads."""
    use = between(read_counters(), read_counters())
    assert use.cores
    assert all(0.0 <= core.busy <= 1.0 for core in use.cores.values())
    assert os.getpid() in read_threads()


def test_a_thread_that_may_run_on_one_core_only_is_known_by_it() -> None:
    """That is how the generator's own use of its core is found."""
    core = min(os.sched_getaffinity(0))
    seen: dict[int, ThreadTimes] = {}

    def pinned() -> None:
        os.sched_setaffinity(0, {core})
        seen.update(read_threads())

    thread = threading.Thread(target=pinned)
    thread.start()
    thread.join()
    assert thread.native_id is not None
    assert seen[thread.native_id].core == core


def test_the_fixed_work_is_fixed_once() -> None:
    """Ten milliseconds at the speed of its trial, and the same bytes ever after."""
    clock_ns, sizes = [0], []

    def work(buffer: bytes) -> None:
        sizes.append(len(buffer))
        clock_ns[0] += 2 * len(buffer)

    calibrator = Calibrator(work, lambda: clock_ns[0])
    for _ in range(9):
        calibrator.round()
    result = calibrator.result()
    assert len(set(sizes[-9:])) == 1
    assert result is not None
    assert result.median_ns == pytest.approx(10_000_000, rel=0.01)
    assert (result.spread, result.drift) == (0.0, 0.0)


def test_one_stalled_round_is_not_a_spread() -> None:
    """The wake-up probe tells stalls; this is about the speed of the core."""
    steady = [10_000_000 + k % 3 * 10_000 for k in range(30)]
    found, stalled = summarise(steady), summarise([*steady[:-1], 50_000_000])
    assert found is not None
    assert stalled is not None
    assert found.spread < 0.01
    assert stalled.spread < 0.01


def test_a_core_that_slows_down_drifts() -> None:
    """By the medians of the first and the last third."""
    found = summarise([10_000_000] * 10 + [10_500_000] * 10 + [11_000_000] * 10)
    assert found is not None
    assert found.drift == pytest.approx(0.10)


def test_few_rounds_say_nothing() -> None:
    """Five rounds have no first and last third worth the name."""
    assert summarise([10_000_000] * 5) is None


def test_a_clock_that_steps_back_is_caught() -> None:
    """However seldom it does."""
    reads = iter([*range(10, 10 * (TRIES * (READS + 1)), 10), 5])
    cost = clock_cost(lambda: next(reads))
    assert cost.backward == 1


def test_the_cost_of_a_look_is_the_time_between_two() -> None:
    """Of the quickest try."""
    reads = iter(range(0, 10_000_000, 40))
    cost = clock_cost(lambda: next(reads))
    assert (cost.cost_ns, cost.backward) == (40.0, 0)
