"""How response times were spread, second by second."""

from breakstep.report.chart import latency_bounds
from breakstep.report.heat_map import SHADE_NAMES, heat_map
from breakstep.report.page import Material, Values
from breakstep.report.timeline import timeline_of


def heat(material: Material) -> Values | None:
    """The heat map on the run's time axis; None where its seconds were not kept."""
    result, recorded = material.result, material.recorded
    timeline = timeline_of(result, recorded.rows)
    if timeline is None:
        return None
    drawn = heat_map(recorded.columns, timeline, latency_bounds(result.steps))
    if drawn is None:
        return None
    return {"heat": drawn, "timeline": timeline, "shades": SHADE_NAMES}
