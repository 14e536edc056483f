"""The report of every labelled stack in Chromium: both widths, light and dark."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import pytest
from PIL import Image

from browser.picture import ALLOWED, GOLDEN, assert_looks_like, different
from browser.stored import NAMES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from playwright.sync_api import Browser, Page

WIDTHS = (1280, 390)
PAPER = 718
"""A4 within the margins that browsers leave, in pixels of the style sheet."""
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
SMALL = 0.25
"""Pixels of a picture for one of the screen: enough to see what is where, and quicker."""
FOCUSABLE = "a[href], summary, [tabindex='0']"


@pytest.mark.parametrize("name", NAMES)
def test_a_report_is_quiet_and_fits(
    name: str, chromium: Browser, reports: Mapping[str, Path]
) -> None:
    """No word on the console, nothing fetched, nothing wider than the screen."""
    page = chromium.new_page()
    said: list[str] = []
    fetched: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: fetched.append(request.url))
    url = reports[name].as_uri()
    for width in WIDTHS:
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 900})
            page.goto(url)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()
    assert said == []
    assert set(fetched) == {url}


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", NAMES)
def test_a_report_looks_as_it_did(
    name: str,
    width: int,
    scheme: Literal["light", "dark"],
    chromium: Browser,
    reports: Mapping[str, Path],
) -> None:
    """As somebody looked at it, but for what fonts and antialiasing change."""
    page = chromium.new_page(
        viewport={"width": width, "height": 900}, color_scheme=scheme, device_scale_factor=SMALL
    )
    page.goto(reports[name].as_uri())
    screenshot = page.screenshot(full_page=True)
    page.close()
    assert_looks_like(f"{name}-{width}-{scheme}", screenshot)


def test_a_small_change_is_noticed() -> None:
    """A patch the size of a few words, were it only grey instead of white."""
    with Image.open(GOLDEN / "node-heavy-query-1280-light.webp") as golden:
        seen = golden.convert("L")
        seen.paste(Image.new("L", (24, 24), 235), (16, 400))
        assert different(golden.convert("L"), golden.convert("L")) == 0.0
        assert different(golden.convert("L"), seen) > ALLOWED


def test_the_keyboard_reaches_everything_in_order(
    chromium: Browser, reports: Mapping[str, Path]
) -> None:
    """First the link that skips the contents, then all that can be followed, opened or scrolled."""
    page = chromium.new_page(viewport={"width": 390, "height": 900})
    page.goto(reports["node-heavy-query"].as_uri())
    count = page.locator(FOCUSABLE).locator("visible=true").count()
    places = [_next_focus(page) for _ in range(count)]
    assert places[0] == "Skip to the report"
    order = page.evaluate(
        f'[...document.querySelectorAll("{FOCUSABLE}")].filter(e => e.checkVisibility())'
        ".map(e => e.getAttribute('aria-label') ?? e.textContent)"
    )
    page.close()
    assert places == order


def _next_focus(page: Page) -> str:
    page.keyboard.press("Tab")
    focused = page.locator(":focus")
    return focused.get_attribute("aria-label") or focused.text_content() or ""


def test_a_reader_of_headings_finds_every_section(
    chromium: Browser, reports: Mapping[str, Path]
) -> None:
    """One first heading, and no level left out; every drawing has a name."""
    page = chromium.new_page()
    page.goto(reports["php-fpm-pg-sleep"].as_uri())
    levels = page.evaluate(
        "[...document.querySelectorAll('h1,h2,h3,h4')].map(h => Number(h.tagName[1]))"
    )
    unnamed = page.evaluate(
        "[...document.querySelectorAll('svg[role=img]')].filter(s => !s.querySelector('title')"
        " && !s.getAttribute('aria-label')).length"
    )
    page.close()
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels))
    assert unnamed == 0


def test_a_report_can_be_printed(chromium: Browser, reports: Mapping[str, Path]) -> None:
    """On paper it is light, nothing is hidden in a region that scrolls, and it fits on A4."""
    page = chromium.new_page(color_scheme="dark", viewport={"width": PAPER, "height": 1000})
    page.goto(reports["node-heavy-query"].as_uri())
    page.emulate_media(media="print")
    wide = page.evaluate("document.documentElement.scrollWidth")
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    scrolling = page.evaluate(
        "[...document.querySelectorAll('.scroll')].map(e => getComputedStyle(e).overflowX)"
    )
    page.close()
    assert wide <= PAPER
    assert background == "rgb(252, 252, 251)"
    assert set(scrolling) == {"visible"}
