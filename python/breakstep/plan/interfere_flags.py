"""From the flags of `interfere` to an InterferePlan; every fault is listed at once."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from breakstep.model.errors import PlanError
from breakstep.model.interfere import InterferePlan, Offer
from breakstep.model.plan import Plan
from breakstep.model.units import parse_rate
from breakstep.plan.address import Resolver, resolve
from breakstep.plan.flags import plan_from_flags
from breakstep.plan.words import DEFAULTS, Flags, over

VICTIM_CONNECTIONS, BULLY_CONNECTIONS = 10, 4
REPEAT, REPEAT_MAX = 3, 100
_DEFAULTS = Flags(hold="5s", warmup="2s")


@dataclass(frozen=True, slots=True)
class OfferFlags:
    """What was asked for of one side: `--victim-rate` or `--victim-connections`."""

    side: str
    rate: str | None = None
    connections: int | None = None


def interfere_from_flags(
    flags: Flags,
    bully_url: str,
    offers: Sequence[OfferFlags],
    repeat: int = REPEAT,
    *,
    resolver: Resolver = resolve,
) -> InterferePlan:
    """The plan; `flags` are the victim's, `offers` the victim's and the bully's.

    Raises PlanError with every fault, TargetError if a host cannot be resolved.
    """
    faults: list[str] = []
    flags = over(over(flags, _DEFAULTS), DEFAULTS)
    victim = _plan(flags, resolver, faults)
    # Of the request only the address is the bully's own; only the victim's server is watched.
    bully_flags = replace(flags, url=bully_url, probe=(), method=None, data=None)
    bully = _plan(bully_flags, resolver, faults)
    defaults = (VICTIM_CONNECTIONS, BULLY_CONNECTIONS)
    most = flags.max_in_flight or 0
    made = [_offer(o, default, most, faults) for o, default in zip(offers, defaults, strict=True)]
    if not 1 <= repeat <= REPEAT_MAX:
        faults.append(f"--repeat: between 1 and {REPEAT_MAX}")
    if faults or victim is None or bully is None:
        raise PlanError(list(dict.fromkeys(faults)))
    return InterferePlan(victim, bully, made[0], made[1], repeat)


def _plan(flags: Flags, resolver: Resolver, faults: list[str]) -> Plan | None:
    try:
        return plan_from_flags(flags, resolver)
    except PlanError as error:
        faults.extend(error.faults)
        return None


def _offer(given: OfferFlags, default: int, most: int, faults: list[str]) -> Offer:
    rate, connections = f"--{given.side}-rate", f"--{given.side}-connections"
    if given.rate is not None and given.connections is not None:
        faults.append(f"{rate} and {connections}: give one of them")
    if given.rate is None:
        count = default if given.connections is None else given.connections
        if not 1 <= count <= most:
            faults.append(f"{connections}: between 1 and {most}, what --max-in-flight allows")
        return Offer(connections=count)
    try:
        return Offer(rate_per_s=parse_rate(given.rate))
    except ValueError as error:
        faults.append(f"{rate}: {error}")
        return Offer()
