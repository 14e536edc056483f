"""What limits the answer, and what else was found on the way to it."""

from breakstep.model.record import Result
from breakstep.report.page import Material, Values

LISTED_MAX = 60
_SAID = {"prediction": "", "experiment": "Experiment: ", "effort": "The search took "}
"""The sections of a result that speak in a sentence, and what the sentence begins with."""


def depends(material: Material) -> Values | None:
    """The sentences; None where there are none."""
    result = material.result
    sentences = [*result.answer.caveats[:LISTED_MAX], *_said(result)]
    return {"sentences": sentences} if sentences else None


def _said(result: Result) -> list[str]:
    return [
        f"{begins}{section['says']}{'' if str(section['says']).endswith('.') else '.'}"
        for name, begins in _SAID.items()
        if (section := result.sections.get(name)) and section.get("says")
    ]
