"""The rules that hold the host to account."""

from dataclasses import dataclass, field

import pytest
from fakes import FakeHistogram

from breakstep.analysis.host_noise import (
    calibration_checks,
    clock_check,
    core_checks,
    host_checks,
    packet_checks,
    retransmission_checks,
    steal_check,
    throttling_checks,
    wait_checks,
    wakeup_checks,
)
from breakstep.analysis.judgeable import judgeable
from breakstep.engine.host.calibration import Calibration
from breakstep.engine.host.clock import ClockCost
from breakstep.engine.host.counters import CoreUse, HostUse
from breakstep.engine.host.packets import Packets
from breakstep.engine.host.segments import Segments
from breakstep.model.record import Generator
from breakstep.model.slo import parse_slo
from breakstep.model.units import NS_PER_MS

P99 = parse_slo("p99<50ms")


@dataclass(frozen=True)
class FakeWake:
    """A core whose wake-ups were this late: all a little, some more."""

    late_ms: float = 0.05
    share: float = 0.02
    count: int = 10_000
    core: int | None = 0

    @property
    def lateness(self) -> FakeHistogram:
        """Most wake-ups 30 µs late, a share of them `late_ms`."""
        late = round(self.count * self.share)
        late_ns = round(self.late_ms * NS_PER_MS)
        return FakeHistogram([30_000] * (self.count - late) + [late_ns] * late)


@dataclass(frozen=True)
class FakeSample:
    """What the host did meanwhile."""

    wakes: list[FakeWake] = field(default_factory=lambda: [FakeWake()])
    use: HostUse = field(default_factory=lambda: HostUse(10.0, 0.0))
    cores: tuple[int, ...] = ()


@pytest.mark.parametrize(
    ("late_ms", "expected"),
    [(2.4, "trusted"), (2.6, "noisy"), (9.9, "noisy"), (10.1, "invalid")],
)
def test_wake_ups_are_held_to_the_bound(late_ms: float, expected: str) -> None:
    """At the SLO's quantile: 5 % of its bound is quiet, above 20 % nothing may be judged."""
    (check,) = wakeup_checks([FakeWake(late_ms)], [P99])
    assert check.verdict == expected
    assert ("--pin" in check.says) == (expected != "trusted")


def test_a_tail_beyond_the_quantile_does_no_harm() -> None:
    """Half a percent of late wake-ups cannot move a p99 by much."""
    (check,) = wakeup_checks([FakeWake(40.0, share=0.005)], [P99])
    assert check.verdict == "trusted"


def test_the_worst_core_and_the_most_endangered_bound_are_judged() -> None:
    """A quiet core does not excuse a noisy one."""
    slos = [parse_slo("p50<1ms"), P99, parse_slo("errors<1%")]
    (check,) = wakeup_checks([FakeWake(), FakeWake(20.0, core=1)], slos)
    assert check.verdict == "invalid"
    assert "on core 1" in check.says


def test_too_few_wake_ups_or_no_bound_are_no_check() -> None:
    """A p99 of 100 wake-ups is one of them."""
    assert wakeup_checks([FakeWake(count=900)], [P99]) == []
    assert wakeup_checks([FakeWake()], [parse_slo("errors<1%")]) == []


@pytest.mark.parametrize(
    ("busy", "ours", "expected"),
    [
        (0.30, 0.28, "trusted"),
        (0.95, 0.75, "trusted"),
        (0.60, 0.30, "noisy"),
        (1.00, 0.70, "invalid"),
        (1.00, 0.05, "invalid"),
        (1.00, 0.49, "invalid"),
    ],
)
def test_a_core_given_to_the_generator_is_its_own(busy: float, ours: float, expected: str) -> None:
    """A busy loop beside it leaves no idle time, whatever share the generator gets."""
    use = HostUse(10.0, 0.0, {0: CoreUse(busy, 0.0, ours), 1: CoreUse(1.0, 0.0, 0.0)})
    (check,) = core_checks(use, [0])
    assert check.verdict == expected


def test_a_generator_without_a_core_of_its_own_is_not_held_to_one() -> None:
    """The kernel moves it to where there is room."""
    assert core_checks(HostUse(10.0, 0.0, {0: CoreUse(1.0, 0.0, 0.0)}), []) == []


@pytest.mark.parametrize(
    ("cpu", "delay", "expected"),
    [
        (0.07, 0.012, "trusted"),
        (0.01, 0.009, "trusted"),
        (0.06, 0.045, "noisy"),
        (0.01, 0.05, "noisy"),
    ],
)
def test_waiting_for_a_core_is_held_against_wanting_one(
    cpu: float, delay: float, expected: str
) -> None:
    """Never more than noisy, and nothing while it is under a hundredth of the time."""
    (check,) = wait_checks(Generator(cpu, cpu, delay))
    assert check.verdict == expected


@pytest.mark.parametrize(
    ("steal", "expected"), [(0.005, "trusted"), (0.03, "noisy"), (0.06, "invalid")]
)
def test_stolen_time_is_told(steal: float, expected: str) -> None:
    """Up to one percent is quiet, above five nothing counts."""
    assert steal_check(HostUse(1.0, steal)).verdict == expected


def test_one_throttled_period_is_too_many() -> None:
    """The generator stood still in it. Where nobody counts nothing is claimed."""
    assert throttling_checks(HostUse(1.0, 0.0, throttled=1))[0].verdict == "invalid"
    assert throttling_checks(HostUse(1.0, 0.0, throttled=0))[0].verdict == "trusted"
    assert throttling_checks(HostUse(1.0, 0.0)) == []


@pytest.mark.parametrize(
    ("sent", "again", "expected"),
    [(100_000, 9, "trusted"), (100_000, 11, "noisy"), (2_000, 2, "trusted"), (100, 90, "noisy")],
)
def test_lost_packets_are_noise_never_worse(sent: int, again: int, expected: str) -> None:
    """They may be the target's doing, and two of few thousand are chance."""
    assert retransmission_checks(Segments(sent, again))[0].verdict == expected


def test_nothing_sent_is_nothing_lost() -> None:
    """A quiet network has no share."""
    assert retransmission_checks(Segments()) == []


@pytest.mark.parametrize(
    ("value", "expected"), [(0.039, "trusted"), (0.09, "noisy"), (0.11, "invalid")]
)
def test_a_core_must_keep_its_speed(value: float, expected: str) -> None:
    """Spread and drift alike, and a drift in either direction."""
    spread, drift = calibration_checks(Calibration(60, 1e7, value, -value))
    assert (spread.verdict, drift.verdict) == (expected, expected)
    assert "less at the end" in drift.says
    assert calibration_checks(None) == []


@pytest.mark.parametrize(
    ("cost_ns", "backward", "expected"),
    [(210.0, 0, "trusted"), (390.0, 0, "noisy"), (100.0, 1, "invalid")],
)
def test_a_clock_is_quick_and_never_steps_back(
    cost_ns: float, backward: int, expected: str
) -> None:
    """A slow one is a system call and a warning; one that steps back ends all trust."""
    assert clock_check(ClockCost(cost_ns, backward)).verdict == expected


def test_a_quiet_host_passes_every_check() -> None:
    """The names are those of the documents."""
    cores = {0: CoreUse(0.2, 0.0, 0.2)}
    use = HostUse(10.0, 0.0, cores, Segments(10, 0), 0, packets=Packets(20))
    checks = host_checks(FakeSample(use=use, cores=(0,)), [P99])
    names = ["wakeups", "core_shared", "steal", "throttling", "retransmissions", "packets_dropped"]
    assert [check.name for check in checks] == names
    assert {check.verdict for check in checks} == {"trusted"}


def test_the_generators_own_work_is_no_noise() -> None:
    """On a core that it keeps busy the probe comes late through the generator itself."""
    wakes = [FakeWake(40.0)]
    for ours, expected in ((0.2, "wakeups"), (0.9, "core_shared")):
        use = HostUse(10.0, 0.0, {0: CoreUse(ours, 0.0, ours)})
        assert host_checks(FakeSample(wakes, use, (0,)), [P99])[0].name == expected
    unpinned = FakeSample([FakeWake(40.0, core=None)], HostUse(10.0, 0.0, process_cores=0.9))
    assert host_checks(unpinned, [P99])[0].name == "steal"


def test_the_tightest_bound_is_twenty_times_the_lateness() -> None:
    """Rounded up to what people say, for each quantile there are wake-ups enough for."""
    found = judgeable([FakeWake(0.9), FakeWake(0.05, core=1)])
    assert [str(one) for one in found] == ["p95<1ms", "p99<20ms", "p99.9<20ms"]
    assert [str(one) for one in judgeable([FakeWake(count=5000)])] == ["p95<1ms", "p99<1ms"]


@pytest.mark.parametrize(
    ("dropped", "expected"), [(0, "trusted"), (2, "trusted"), (3, "noisy"), (500, "noisy")]
)
def test_packets_that_an_interface_dropped_are_noise(dropped: int, expected: str) -> None:
    """From three on and over one in ten thousand."""
    (check,) = packet_checks(Packets(10_000, dropped))
    assert check.verdict == expected
    assert ("ethtool" in check.says) == (expected == "noisy")
    assert packet_checks(Packets()) == []
