"""What broke first, with its evidence, its rivals and what helps."""

from breakstep.report.finding import finding_of
from breakstep.report.page import Material, Values
from breakstep.report.why import MEANS

LISTED_MAX = 40


def diagnosis(material: Material) -> Values | None:
    """The finding; None in a result that was never diagnosed."""
    finding = finding_of(material.result)
    if finding is None:
        return None
    return {
        "finding": finding,
        "evidence": finding.evidence[:LISTED_MAX],
        "alternatives": finding.alternatives[:LISTED_MAX],
        "missing": finding.missing[:LISTED_MAX],
        "means": MEANS.get(finding.confidence, ""),
    }
