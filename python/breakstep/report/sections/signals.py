"""Load, response time and every signal of the server on one time axis."""

from breakstep.report.finding import finding_of
from breakstep.report.page import Material, Values
from breakstep.report.panels import panels
from breakstep.report.run_panels import run_panels
from breakstep.report.timeline import timeline_of


def signals(material: Material) -> Values | None:
    """The drawings; None where the seconds of the run were not kept."""
    result, recorded = material.result, material.recorded
    timeline = timeline_of(result, recorded.rows)
    if timeline is None:
        return None
    finding = finding_of(result)
    return {
        "timeline": timeline,
        "ours": run_panels(recorded.rows, timeline),
        "server": panels(recorded.series, timeline, finding),
    }
