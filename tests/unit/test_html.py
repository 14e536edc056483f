"""The report page."""

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256

from golden import assert_golden
from results import FOUND, result

from breakstep.report.facts import facts
from breakstep.report.html import render_html
from breakstep.search.controller import Done

PAGE = render_html(FOUND)


def test_the_page_does_not_change_unnoticed() -> None:
    """The whole page of a known result, as it was last looked at."""
    assert_golden("report.html", PAGE)


def test_the_page_needs_nothing_but_itself() -> None:
    """No script, no link, nothing fetched; the policy forbids it as well."""
    assert not re.search(r"<(script|link|img|iframe|object)|@import|url\(|\bsrc=", PAGE)
    assert set(re.findall(r'href="(.)', PAGE)) == {"#"}
    assert "default-src 'none'" in PAGE


def test_the_policy_allows_the_style_that_is_there() -> None:
    """The hash in the policy is that of the style element, byte for byte."""
    style = re.search(r"<style>(.*?)</style>", PAGE, re.DOTALL)
    allowed = re.search(r"style-src 'sha256-([^']+)'", PAGE)
    assert style is not None
    assert allowed is not None
    assert b64encode(sha256(style[1].encode()).digest()).decode() == allowed[1]
    assert "style=" not in PAGE


def test_text_from_outside_is_escaped() -> None:
    """A hostile URL, host name or reason stays text."""
    hostile = replace(FOUND, plan={"url": "<script>alert(1)</script>", "<b>": '"><img src=x>'})
    page = render_html(hostile)
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;" in page


def test_a_run_without_steps_has_a_page() -> None:
    """Interrupted at once, it still says what was planned."""
    page = render_html(result([], Done("interrupted", "")))
    assert "No step was finished." in page
    assert "<svg" not in page


def test_every_step_is_marked_with_its_verdict() -> None:
    """Three passes and a fail on each of the two drawings."""
    assert (PAGE.count('class="mark pass" x='), PAGE.count('class="mark fail" x=')) == (6, 2)


def test_the_bound_is_drawn() -> None:
    """The latency SLO is a line of its own."""
    assert PAGE.count('class="bound"') == 1


def test_nested_values_are_listed_by_their_dotted_names() -> None:
    """Plan and environment are shown leaf by leaf."""
    nested = {"a": {"b": [1, 2], "c": None}, "d": True, "e": []}
    assert list(facts(nested)) == [("a.b", "1, 2"), ("a.c", "none"), ("d", "yes"), ("e", "none")]
