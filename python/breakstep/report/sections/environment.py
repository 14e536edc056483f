"""Where and how it was measured, and the command that measures it again."""

from breakstep.report.facts import facts_shown
from breakstep.report.page import Material, Values
from breakstep.report.reproduce import reproduce


def environment(material: Material) -> Values:
    """The command, the plan and the environment, leaf by leaf."""
    result = material.result
    return {
        "again": reproduce(result),
        "groups": [
            ("The plan", facts_shown(result.plan)),
            ("The environment", facts_shown(result.environment)),
        ],
    }
