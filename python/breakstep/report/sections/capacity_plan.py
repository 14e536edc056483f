"""What to run for a demand, where the result has a plan for one."""

from breakstep.report.facts import facts_shown
from breakstep.report.page import Material, Values

SECTION = "plan"
_NAMES = {
    "rated_per_node": "a node is rated at, /s",
    "nodes": "nodes",
    "spare": "of these spare",
    "autoscale_at_per_s": "add a node at, /s",
    "rate_limit_per_s": "limit the rate to, /s",
}


def capacity_plan(material: Material) -> Values | None:
    """The plan's numbers and assumptions; None without a plan."""
    plan = material.result.sections.get(SECTION)
    if not plan:
        return None
    named = {_NAMES.get(key, key): value for key, value in plan.items() if key != "says"}
    return {"says": plan.get("says"), "facts": facts_shown(named)}
