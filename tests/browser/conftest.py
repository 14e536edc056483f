"""One browser for all tests, and the pages that it is shown."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import sync_playwright

from breakstep.report.html import render_html
from breakstep.store.recorded import read_recorded
from breakstep.store.result_json import read_result
from browser.stored import NAMES, unpack

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from playwright.sync_api import Browser


_FONTS = """<?xml version="1.0"?><fontconfig>
<dir>/usr/share/fonts/truetype/dejavu</dir><cachedir>{cache}</cachedir>
</fontconfig>"""


@pytest.fixture(scope="package")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Debian's own, with one family of fonts; Playwright's browsers are never downloaded."""
    program = shutil.which("chromium")
    if program is None:
        pytest.fail("no chromium: run `make system`")
    directory = tmp_path_factory.mktemp("fonts")
    fonts = directory / "fonts.conf"
    fonts.write_text(_FONTS.format(cache=directory), encoding="utf-8")
    with sync_playwright() as playwright:
        # As root, as in most containers, Chromium does not start with its sandbox.
        browser = playwright.chromium.launch(
            executable_path=program,
            args=["--no-sandbox"],
            env={**os.environ, "FONTCONFIG_FILE": str(fonts)},
        )
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """The report of each stored run, as `breakstep report --format html` writes it."""
    directory = tmp_path_factory.mktemp("runs")
    return {name: _report(unpack(name, directory)) for name in NAMES}


def _report(run: Path) -> Path:
    page = run / "report.html"
    page.write_text(render_html(read_result(run), read_recorded(run)), encoding="utf-8")
    return page
