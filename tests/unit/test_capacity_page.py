"""The capacity plan on the page of a run."""

from dataclasses import replace
from typing import Any

from results import FOUND, result

from breakstep.report.html import render_html
from breakstep.search.controller import Done


def _page(demand: dict[str, Any]) -> str:
    return render_html(replace(FOUND, plan={**FOUND.plan, "demand": demand}))


def test_a_stated_demand_is_planned_for() -> None:
    """390/s held, and 500/s have to be carried: two nodes, and one that may be down."""
    page = _page({"peak": 500})
    assert "3 nodes" in page
    assert "What the number of nodes rests on" in page


def test_without_a_demand_there_is_no_plan() -> None:
    """Nor with one that cannot be read, nor of a run in which nothing held."""
    assert 'id="capacity_plan"' not in render_html(FOUND)
    assert 'id="capacity_plan"' not in _page({"peak": "<script>"})
    nothing = result([], Done("interrupted", ""))
    page = render_html(replace(nothing, plan={**FOUND.plan, "demand": {"peak": 500}}))
    assert 'id="capacity_plan"' not in page
