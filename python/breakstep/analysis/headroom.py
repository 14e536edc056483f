"""How far above the breaking load the generator itself would have carried on.

    by its CPU     the highest load so far · 0.95 / the share of a core of its busiest thread
    in fact        a second or two of 1.3 times the breaking load, on a server that does nothing

If the CPU allows twice the breaking load, that is enough. Otherwise the generator has to show it:
at least 99.9 % answered, p99 within a tenth of the tightest bound. If it cannot, what broke may
have been the generator, and the breaking load is to be read as "at least".
"""

from collections.abc import Sequence

from breakstep.analysis.trust import CPU_INVALID
from breakstep.analysis.words import percent
from breakstep.model.record import Check, StepRecord
from breakstep.model.units import format_duration, format_rate

ENOUGH = 2.0
NEEDED = 1.3
ANSWERED = 0.999
OF_BOUND = 0.10
REMEDY = (
    ": read the breaking load as 'at least', and give the generator more --workers or a machine"
)


def headroom_by_cpu(steps: Sequence[StepRecord], broken_per_s: float) -> float | None:
    """How many times the breaking load the CPU allows; None without a valid step.

    Steps at half of the breaking load and more are asked: at low loads most of the CPU is overhead.
    """
    shares = [
        step.generator.busiest_worker_share / step.sent_per_s
        for step in steps
        if step.verdict.name != "invalid"
        and step.sent_per_s > 0.0
        and step.offered_per_s >= broken_per_s / 2.0
        and step.generator.busiest_worker_share > 0.0
    ]
    return CPU_INVALID / (max(shares) * broken_per_s) if shares else None


def headroom_by_cpu_check(times: float) -> Check:
    """What the CPU allows, where that was all that could be asked."""
    says = f"by its CPU the generator can carry {times:.2g} times the breaking load"
    if times < NEEDED:
        return Check("headroom", times, NEEDED, "noisy", says + REMEDY + " of its own")
    return Check("headroom", times, NEEDED, "trusted", says)


def headroom_check(
    rate_per_s: float, answered: float, p99_ns: int, tightest_ns: int | None
) -> Check:
    """What became of `rate_per_s`, 1.3 times the breaking load, on a server that does nothing."""
    says = (
        f"on a server that does nothing {percent(answered)} of {format_rate(rate_per_s)}/s were "
        f"answered, with a p99 of {format_duration(p99_ns)}"
    )
    slow = tightest_ns is not None and p99_ns > OF_BOUND * tightest_ns
    if answered < ANSWERED or slow:
        return Check("headroom", answered, ANSWERED, "noisy", says + REMEDY + " of its own")
    return Check("headroom", answered, ANSWERED, "trusted", says)
