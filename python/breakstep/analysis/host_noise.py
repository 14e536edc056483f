"""Whether the host let the generator run when it had to; each rule makes a row of a Trust.

    check              trusted up to      noisy up to         why there
    wakeups            5 % of the bound   20 %                at the SLO's own quantile
    core_shared        25 % of the core   50 %, or 25 % and   used by others, where the generator
                                          no idle time        is pinned
    generator_wait     25 %               50 %                of the time it wanted a core
    steal              1 %                5 %                 of all cores' time
    calibration_spread 4 %                10 %                robust CV of a fixed piece of work
    calibration_drift  4 %                10 %                of its median, first third to last
    throttling         0                                      periods of our own cgroup
    retransmissions    0.01 %             always              of the segments sent
    packets_dropped    0.01 %             always              by network interfaces
    clock              300 ns, no step back

docs/trust.md says what was measured to choose them.
"""

from collections.abc import Sequence
from typing import Protocol

from breakstep.analysis.measured import Histogram
from breakstep.analysis.words import counted, percent
from breakstep.engine.host.calibration import Calibration
from breakstep.engine.host.clock import ClockCost
from breakstep.engine.host.counters import HostUse
from breakstep.engine.host.packets import Packets
from breakstep.engine.host.segments import Segments
from breakstep.model.record import Check, Generator, TrustName
from breakstep.model.slo import Slo
from breakstep.model.units import NS_PER_MS, format_duration

WAKE_TRUSTED, WAKE_NOISY = 0.05, 0.20
OTHERS_TRUSTED, OTHERS_NOISY = 0.25, 0.50
IDLE_LEFT = 0.02
OURS_BUSY = 0.50
WAIT_TRUSTED = 0.25
WAIT_WORTH_A_LOOK = 0.01
"""Of wall time; below it the generator hardly ran and its share of waiting means nothing."""
STEAL_TRUSTED, STEAL_NOISY = 0.01, 0.05
CALIBRATION_TRUSTED, CALIBRATION_NOISY = 0.04, 0.10
RETRANSMITTED_TRUSTED = 0.0001
RETRANSMITTED_COUNT = 3
"""Fewer say nothing about a share: among a few thousand segments one is too many already."""
CLOCK_COST_NS = 300.0
WAKES_PER_EXCEEDANCE = 10


class Wake(Protocol):
    """What the wake-up probe saw on one core: see `_engine.WakeSample`."""

    @property
    def core(self) -> int | None:
        """None where the kernel chose."""

    @property
    def lateness(self) -> Histogram:
        """Of every planned instant."""


class HostSample(Protocol):
    """What the host did meanwhile: see `engine.host.watch.HostSample`."""

    @property
    def cores(self) -> tuple[int, ...]:
        """Those the generator is pinned to; empty where it is not."""

    @property
    def wakes(self) -> Sequence[Wake]:
        """By core."""

    @property
    def use(self) -> HostUse:
        """From the counters."""


def host_checks(sample: HostSample, slos: Sequence[Slo]) -> list[Check]:
    """Every check of what the host did while a step was held.

    Where the generator itself keeps its core busy, the probe beside it is late through that, and
    a running thread need not be woken: its lag is the judge then.
    """
    idle_enough = [wake for wake in sample.wakes if _ours(sample.use, wake) <= OURS_BUSY]
    return [
        *wakeup_checks(idle_enough, slos),
        *core_checks(sample.use, sample.cores),
        steal_check(sample.use),
        *throttling_checks(sample.use),
        *retransmission_checks(sample.use.segments),
        *packet_checks(sample.use.packets),
    ]


def wakeup_checks(wakes: Sequence[Wake], slos: Sequence[Slo]) -> list[Check]:
    """Wake-up lateness of the worst core at the quantile of the latency SLO it endangers most.

    A quantile of fewer wake-ups than ten for each allowed exceedance is not judged.
    """
    bounds = [slo for slo in slos if slo.kind == "latency"]
    pairs = [(slo, wake) for slo in bounds for wake in wakes if _enough(wake.lateness, slo)]
    if not pairs:
        return []
    slo, wake = max(pairs, key=lambda pair: _late_ns(*pair) / pair[0].bound_ns)
    late_ns = _late_ns(slo, wake)
    verdict = _graded(late_ns / slo.bound_ns, WAKE_TRUSTED, WAKE_NOISY)
    limit_ns = (WAKE_NOISY if verdict == "invalid" else WAKE_TRUSTED) * slo.bound_ns
    where = "" if wake.core is None else f" on core {wake.core}"
    says = (
        f"{percent(1.0 - slo.quantile)} of wake-ups{where} came at least "
        f"{format_duration(late_ns)} late, {percent(late_ns / slo.bound_ns)} of the bound of "
        f"{format_duration(slo.bound_ns)}"
    )
    if verdict != "trusted":
        says += (
            f", and {format_duration(limit_ns)} is the limit: stop what else runs here, free a "
            "core for the generator (--pin), or judge a longer bound"
        )
    return [Check("wakeups", late_ns / NS_PER_MS, limit_ns / NS_PER_MS, verdict, says)]


def core_checks(use: HostUse, cores: Sequence[int]) -> list[Check]:
    """How much of the generator's own cores others used; nothing where it has none of its own.

    On a fair scheduler a thread that sleeps often is woken in time even beside a busy loop, so
    wake-ups alone do not show one. A core with no idle time left does.
    """
    watched = [(use.cores[core], core) for core in cores if core in use.cores]
    if not watched:
        return []
    worst, core = max(watched, key=lambda pair: pair[0].others)
    verdict = _graded(worst.others, OTHERS_TRUSTED, OTHERS_NOISY)
    if verdict == "noisy" and 1.0 - worst.busy < IDLE_LEFT:
        verdict = "invalid"
    says = f"others used {percent(worst.others)} of core {core}, the generator's own"
    if verdict != "trusted":
        says += ": move them off it, or --pin the generator to a free core"
    limit = OTHERS_NOISY if worst.others > OTHERS_NOISY else OTHERS_TRUSTED
    return [Check("core_shared", worst.others, limit, verdict, says)]


def wait_checks(generator: Generator) -> list[Check]:
    """The share of the time the generator's threads wanted a core in which they had none.

    Never more than noisy: whether the wait did harm is for the lag to say, which it is part of.
    """
    wanted = generator.cpu_share + generator.run_delay_share
    if wanted <= 0.0:
        return []
    share = generator.run_delay_share / wanted
    matters = generator.run_delay_share > WAIT_WORTH_A_LOOK
    verdict: TrustName = "noisy" if matters and share > WAIT_TRUSTED else "trusted"
    says = f"the generator waited for a core {percent(share)} of the time it wanted one"
    if verdict != "trusted":
        says += ": free a core for it (--pin), or run it on a machine of its own"
    return [Check("generator_wait", share, WAIT_TRUSTED, verdict, says)]


def steal_check(use: HostUse) -> Check:
    """CPU time that the hypervisor gave to other machines."""
    verdict = _graded(use.steal, STEAL_TRUSTED, STEAL_NOISY)
    says = f"the hypervisor withheld {percent(use.steal)} of this machine's CPU time"
    if verdict != "trusted":
        says += ": its host is overcommitted; use another machine, or one with dedicated cores"
    limit = STEAL_NOISY if verdict == "invalid" else STEAL_TRUSTED
    return Check("steal", use.steal, limit, verdict, says)


def throttling_checks(use: HostUse) -> list[Check]:
    """Periods in which our own cgroup had used up its CPU quota."""
    if use.throttled is None:
        return []
    says = f"the generator's cgroup was throttled {counted(use.throttled)} times"
    verdict: TrustName = "trusted"
    if use.throttled > 0:
        verdict = "invalid"
        says += ": raise its CPU limit (docker --cpus, Kubernetes limits.cpu), or lift it"
    return [Check("throttling", float(use.throttled), 0.0, verdict, says)]


def retransmission_checks(segments: Segments) -> list[Check]:
    """TCP segments sent again; never more than noisy: the target may be their cause."""
    if segments.sent <= 0:
        return []
    share = segments.retransmitted / segments.sent
    lost = share > RETRANSMITTED_TRUSTED and segments.retransmitted >= RETRANSMITTED_COUNT
    says = (
        f"{counted(segments.retransmitted)} of {counted(segments.sent)} TCP segments "
        "were sent again"
    )
    if lost:
        says += ": packets are lost; look at full accept queues, the network and its drivers"
    verdict: TrustName = "noisy" if lost else "trusted"
    return [Check("retransmissions", share, RETRANSMITTED_TRUSTED, verdict, says)]


def packet_checks(packets: Packets) -> list[Check]:
    """Packets that an interface had no room for; never more than noisy, as for retransmissions.

    A few are dropped on any network, of protocols that nobody here speaks.
    """
    if packets.handled <= 0:
        return []
    share = packets.dropped / packets.handled
    lost = share > RETRANSMITTED_TRUSTED and packets.dropped >= RETRANSMITTED_COUNT
    says = f"network interfaces dropped {counted(packets.dropped)} of {counted(packets.handled)}"
    says += " packets"
    if lost:
        says += ": enlarge their rings (ethtool -G), or offer less from this machine"
    verdict: TrustName = "noisy" if lost else "trusted"
    return [Check("packets_dropped", share, RETRANSMITTED_TRUSTED, verdict, says)]


def calibration_checks(calibration: Calibration | None) -> list[Check]:
    """Whether a fixed piece of work takes the same CPU time throughout; None is no check."""
    if calibration is None:
        return []
    spread, drift = calibration.spread, calibration.drift
    way = "longer" if drift > 0.0 else "less"
    return [
        _calibration_check(
            "calibration_spread", spread, f"a fixed piece of work varied by {percent(spread)}"
        ),
        _calibration_check(
            "calibration_drift",
            abs(drift),
            f"a fixed piece of work took {percent(abs(drift))} {way} at the end than at the start",
        ),
    ]


def clock_check(clock: ClockCost) -> Check:
    """Whether the monotonic clock is cheap and monotonic."""
    says = f"a look at the clock takes {clock.cost_ns:.0f} ns"
    if clock.backward:
        says = f"the monotonic clock stepped back {counted(clock.backward)} times: no time is sure"
        return Check("clock", float(clock.backward), 0.0, "invalid", says)
    dear = clock.cost_ns > CLOCK_COST_NS
    if dear:
        says += ": see /sys/devices/system/clocksource; tsc and kvm-clock are quick"
    return Check("clock", clock.cost_ns, CLOCK_COST_NS, "noisy" if dear else "trusted", says)


def _calibration_check(name: str, value: float, says: str) -> Check:
    verdict = _graded(value, CALIBRATION_TRUSTED, CALIBRATION_NOISY)
    if verdict != "trusted":
        says += ": the cores change their speed; fix it (governor, turbo), or leave them to us"
    limit = CALIBRATION_NOISY if verdict == "invalid" else CALIBRATION_TRUSTED
    return Check(name, value, limit, verdict, says)


def _graded(value: float, trusted: float, noisy: float) -> TrustName:
    if value <= trusted:
        return "trusted"
    return "noisy" if value <= noisy else "invalid"


def _ours(use: HostUse, wake: Wake) -> float:
    """The share of the probe's core that we use; where it has none of its own, of all cores."""
    if wake.core is None:
        return use.process_cores / max(1, len(use.cores))
    return use.cores[wake.core].ours if wake.core in use.cores else 0.0


def _enough(lateness: Histogram, slo: Slo) -> bool:
    return lateness.count * (1.0 - slo.quantile) >= WAKES_PER_EXCEEDANCE


def _late_ns(slo: Slo, wake: Wake) -> int:
    return wake.lateness.quantile_ns(slo.quantile)
