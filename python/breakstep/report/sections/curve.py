"""Offered load against goodput and response time, with the verdict of every step."""

from breakstep.report.chart import charts
from breakstep.report.page import Material, Values


def curve(material: Material) -> Values | None:
    """Both drawings; None without steps."""
    result = material.result
    drawn = charts(result.steps, result.answer)
    exact = result.answer.knee_interval_per_s is not None
    knee = "the interval of the breaking rate" if exact else "between what held and what broke"
    return {"charts": drawn, "knee": knee} if drawn else None
