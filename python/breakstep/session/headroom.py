"""Whether the generator could have offered more than what broke the service."""

from collections.abc import Callable, Sequence

from breakstep.analysis.headroom import (
    ENOUGH,
    NEEDED,
    headroom_by_cpu,
    headroom_by_cpu_check,
    headroom_check,
)
from breakstep.analysis.verdict import tightest_bound_ns
from breakstep.engine.host.null_target import carry
from breakstep.model.plan import Plan
from breakstep.model.record import Check, RunRecord
from breakstep.model.units import NS_PER_MS

BURST_NS = 1_500 * NS_PER_MS


def headroom_checks(
    plan: Plan, runs: Sequence[RunRecord], stopping: Callable[[], bool]
) -> list[Check]:
    """One check, none where nothing broke; a burst on a server of our own only where CPU is short.

    A spinning generator uses all of its core at any rate: only the burst tells. It speaks plain
    text, so a target with TLS is left to the CPU. Raises EngineError.
    """
    broken = max((run.broken_per_s or 0.0 for run in runs), default=0.0)
    if broken <= 0.0 or stopping():
        return []
    times = headroom_by_cpu([step for run in runs for step in run.steps], broken)
    if times is None:
        return []
    if plan.target.tls or (times >= ENOUGH and not plan.spin):
        return [] if plan.spin else [headroom_by_cpu_check(times)]
    rate_per_s = NEEDED * broken
    carried = carry(plan, rate_per_s, BURST_NS, stopping)
    if carried is None:
        return []
    share = carried.ok / carried.arrivals
    return [headroom_check(rate_per_s, share, carried.p99_ns, tightest_bound_ns(plan.slos))]
