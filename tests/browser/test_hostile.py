"""A stored run in which every text was replaced by one that means harm, in Chromium."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from breakstep.report.html import render_html
from breakstep.store.recorded import Recorded, read_recorded
from breakstep.store.result_json import from_json
from browser.stored import unpack

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

MARKUP = (
    "</style></script><script>alert(1)</script><img src=http://127.0.0.1:9/x onerror=alert(1)>\"'"
)
UNBROKEN = "W" * 10_000_000
TURNED = "\u202e\u2066abc\x00\x1b[31m"
# Their values are of a closed set: no text of others.
CLOSED = {"verdict", "status", "stop_reason", "queue", "confidence", "format", "command", "kind"}


@pytest.mark.parametrize("text", [MARKUP, UNBROKEN, TURNED], ids=("markup", "unbroken", "turned"))
@pytest.mark.parametrize("width", [1280, 390])
def test_a_hostile_run_does_nothing_and_fits(
    text: str, width: int, chromium: Browser, tmp_path: Path
) -> None:
    """No dialog, nothing on the console, nothing fetched, nothing wider than the screen."""
    file = tmp_path / "hostile.html"
    file.write_text(_page(text, tmp_path), encoding="utf-8")
    page = chromium.new_page(viewport={"width": width, "height": 900})
    happened: list[str] = []
    page.on("dialog", lambda dialog: happened.append(dialog.message))
    page.on("console", lambda message: happened.append(message.text))
    page.on("request", lambda request: happened.append(request.url))
    page.goto(file.as_uri())
    wide = page.evaluate("document.documentElement.scrollWidth")
    page.close()
    assert happened == [file.as_uri()]
    assert wide <= width
    assert file.stat().st_size < 1_000_000


def _page(text: str, directory: Path) -> str:
    run = unpack("node-pg-sleep", directory)
    document = json.loads((run / "result.json").read_text(encoding="utf-8"))
    recorded = read_recorded(run)
    return render_html(from_json(_hostile(document, text)), _renamed(recorded, text))


def _hostile(value: Any, text: str, name: str = "") -> Any:
    """The document with the text in place of every other, and in the names of the plan."""
    if isinstance(value, dict):
        found = {key: _hostile(inner, text, key) for key, inner in value.items()}
        return {**found, f"{text}!": text} if name in {"plan", "environment"} else found
    if isinstance(value, list):
        return [_hostile(inner, text, name) for inner in value]
    return text if isinstance(value, str) and name not in CLOSED else value


def _renamed(recorded: Recorded, text: str) -> Recorded:
    series = tuple(
        replace(one, signal=replace(one.signal, source=text, name=f"{text}{number}", unit=text))
        for number, one in enumerate(recorded.series)
    )
    return replace(recorded, series=series)
