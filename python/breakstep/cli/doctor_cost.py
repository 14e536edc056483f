"""`breakstep doctor --cost`: the CPU that one request takes."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from breakstep.model.errors import PlanError
from breakstep.model.plan import Plan
from breakstep.model.record import Trust
from breakstep.plan import limits
from breakstep.plan.flags import plan_from_flags
from breakstep.plan.words import Flags
from breakstep.report.cost import cost_section, cost_text
from breakstep.report.doctor_json import envelope_of
from breakstep.session.around import new_run
from breakstep.session.cost import cost
from breakstep.session.environment import describe

_PROBES = ("process", "cgroup")
"""Those that count the CPU of something."""


def cost_plan(
    url: str | None, probes: Sequence[str], pin: str | None, noise: str | None
) -> Plan | None:
    """What is to be asked for; None where nothing is. Raises PlanError with every fault."""
    if url is None:
        if probes:
            raise PlanError(["--probe goes with --cost: name the URL to ask for"])
        return None
    faults = []
    if noise is not None:
        faults.append("--noise and --cost: one look at a time")
    if not probes:
        faults.append("--cost needs to know whose CPU: --probe process:NAME, repeatable")
    try:
        plan = plan_from_flags(Flags(url=url, probe=probes, pin=pin))
    except PlanError as error:
        raise PlanError([*faults, *error.faults]) from error
    faults += [
        f"--probe {spec.label}: with --cost only {' and '.join(_PROBES)} count"
        for spec in plan.probes
        if spec.kind not in _PROBES
    ]
    if faults:
        raise PlanError(faults)
    return plan


def cost_found(
    plan: Plan, length_ns: int, stopping: Callable[[], bool]
) -> tuple[str, dict[str, Any], Trust]:
    """What it costs: the text, the envelope, and whether to trust them."""
    started_at, found = datetime.now(UTC), cost(plan, length_ns, stopping)
    environment = describe(limits.read_machine(), started_at)
    envelope = envelope_of(new_run(), environment, found.trust, cost_section(found))
    return cost_text(found), envelope, found.trust
