"""The noise gate: whether the host is fit before the first load, and still is after the last.

    before   a fortieth of the time that the loads will take, half a second to 10 s
    after    half as long

What a step suffers is judged in that step. The gate tells what the steps cannot: a host that is
noisy while we do nothing, so that the noise is not ours. A breach at one end is a label; only a
host that was unfit at both ends gives no number.
"""

from collections.abc import Sequence
from dataclasses import replace

from breakstep.analysis.host_noise import HostSample, core_checks, steal_check, wakeup_checks
from breakstep.model.record import Check
from breakstep.model.slo import Slo
from breakstep.model.units import NS_PER_S

SHARE = 1.0 / 40.0
SHORTEST_NS, LONGEST_NS = NS_PER_S // 2, 10 * NS_PER_S
AFTER = 0.5
BEFORE_THE_FIRST_LOAD = "before the first load"
AFTER_THE_LAST_LOAD = "after the last load"


def gate_ns(load_ns: int) -> int:
    """How long to look before the first load if all loads take so long."""
    return round(min(LONGEST_NS, max(SHORTEST_NS, SHARE * load_ns)))


def gate_checks(sample: HostSample, slos: Sequence[Slo], when: str) -> list[Check]:
    """What the host did while we did nothing; `when` is said."""
    found = [
        *wakeup_checks(sample.wakes, slos),
        *core_checks(sample.use, sample.cores),
        steal_check(sample.use),
    ]
    end, _, _ = when.partition(" ")
    return [
        replace(check, name=f"{check.name}_{end}", says=f"{when} {check.says}") for check in found
    ]


def both_ends(before: Sequence[Check], after: Sequence[Check]) -> list[Check]:
    """The checks of both ends; `invalid` only where the other end is, too."""
    unfit = {_what(check) for check in before if check.verdict == "invalid"}
    unfit &= {_what(check) for check in after if check.verdict == "invalid"}
    return [
        replace(check, verdict="noisy")
        if check.verdict == "invalid" and _what(check) not in unfit
        else check
        for check in (*before, *after)
    ]


def _what(check: Check) -> str:
    return check.name.rpartition("_")[0]
