"""A page about a mix of requests."""

from dataclasses import replace

from results import FOUND

from breakstep.model.record import RequestRecord
from breakstep.report.html import render_html
from breakstep.report.page_table import ROWS_MAX

BROKEN = FOUND.steps[-1]
SEARCHING = RequestRecord(900, 880, {"ok": 880, "timeout": 20}, BROKEN.response_ms)
BUYING = RequestRecord(100, 100, {"ok": 100}, BROKEN.response_ms)


def _page(requests: dict[str, RequestRecord]) -> str:
    steps = (*FOUND.steps[:-1], replace(BROKEN, requests=requests))
    return render_html(replace(FOUND, runs=(replace(FOUND.runs[0], steps=steps),)))


def test_requests_are_told_apart_where_the_load_broke() -> None:
    """The most frequent first, each with its errors."""
    page = _page({"buy": BUYING, "search": SEARCHING})
    assert "Requests at 400/s, fail" in page
    assert page.index(">search</th>") < page.index(">buy</th>")
    assert "2.2 %" in page


def test_a_single_request_has_no_table() -> None:
    """It is the step itself."""
    assert 'id="requests"' not in render_html(FOUND)


def test_a_thousand_requests_are_a_small_page() -> None:
    """Hostile names, the last of them only counted."""
    page = _page({f"<script>{'x' * 10_000}{k}": BUYING for k in range(1000)})
    assert "<script" not in page
    assert f"And {1000 - ROWS_MAX} more, in result.json." in page
    assert len(page) < 500_000
