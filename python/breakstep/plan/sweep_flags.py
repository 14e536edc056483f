"""From the flags of `sweep` to a SweepPlan; every fault is listed at once."""

from dataclasses import replace
from itertools import pairwise
from typing import cast

from breakstep.model.errors import PlanError
from breakstep.model.plan import Plan
from breakstep.model.sweep import SweepPlan
from breakstep.model.units import parse_duration
from breakstep.plan.address import Resolver, resolve
from breakstep.plan.digest import plan_digest
from breakstep.plan.flags import plan_from_flags
from breakstep.plan.words import DEFAULTS, Flags, over

CONCURRENCY = "1,2,4,8,16,32,64,128"
_DEFAULTS = Flags(hold="5s", warmup="1s")


def sweep_from_flags(
    flags: Flags,
    concurrency: str = CONCURRENCY,
    think: str = "0s",
    *,
    compare_open: bool = False,
    resolver: Resolver = resolve,
) -> SweepPlan:
    """The sweep that the flags describe.

    Raises PlanError with every fault, TargetError if the host cannot be resolved.
    """
    faults: list[str] = []
    flags = over(over(flags, _DEFAULTS), DEFAULTS)
    levels = _levels(concurrency, cast("int", flags.max_in_flight), faults)
    think_ns = _think(think, faults)
    if compare_open and think_ns == 0:
        faults.append(
            "--compare-open goes with --think: users who never pause have no rate of their own"
        )
    base = _base(flags, resolver, faults)
    if faults or base is None:
        raise PlanError(faults)
    more = {"concurrency": levels, "think_ns": think_ns, "compare_open": compare_open}
    base = replace(base, abort=False)
    return SweepPlan(
        replace(base, digest=plan_digest(base, **more)), levels, think_ns or 0, compare_open
    )


def _levels(text: str, most: int, faults: list[str]) -> tuple[int, ...]:
    try:
        levels = tuple(int(part) for part in text.split(","))
    except ValueError:
        faults.append(f"--concurrency: {text!r} is no list of numbers of users: write 1,2,4,8")
        return ()
    if levels[0] < 1 or any(later <= earlier for earlier, later in pairwise(levels)):
        faults.append(f"--concurrency: {text!r}: from 1 up, each above the one before it")
    if levels[-1] > most:
        faults.append(
            f"--concurrency: {levels[-1]} users need as many connections, and --max-in-flight "
            f"allows {most}"
        )
    return levels


def _think(text: str, faults: list[str]) -> int | None:
    try:
        return parse_duration(text)
    except ValueError as error:
        faults.append(f"--think: {error}")
        return None


def _base(flags: Flags, resolver: Resolver, faults: list[str]) -> Plan | None:
    try:
        return plan_from_flags(flags, resolver)
    except PlanError as error:
        faults.extend(error.faults)
        return None
