"""The colours of a page."""

import re
from importlib.resources import files

import pytest

CSS = files("breakstep.report").joinpath("templates", "palette.css").read_text(encoding="utf-8")
LIGHT, DARK = (
    dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", part)) for part in CSS.split("@media")
)
TEXT = ("ink", "soft", "pass", "fail", "undecided", "invalid", "goodput")
BEHIND = ("page", "raised")
AA = 4.5
"""What WCAG 2.2 asks of text of the usual size."""


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=("light", "dark"))
@pytest.mark.parametrize("text", TEXT)
@pytest.mark.parametrize("behind", BEHIND)
def test_text_can_be_read(theme: dict[str, str], text: str, behind: str) -> None:
    """In both themes, on the page and on what is raised from it."""
    assert _contrast(theme[text], theme[behind]) >= AA


def test_both_themes_have_every_colour() -> None:
    """A colour of one theme only would be wrong in the other."""
    assert LIGHT.keys() == DARK.keys()


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=("light", "dark"))
def test_more_is_further_from_the_page(theme: dict[str, str]) -> None:
    """The shades of the heat map, in grey as well."""
    shades = [_contrast(theme[f"heat{k}"], theme["page"]) for k in range(5)]
    assert shades == sorted(shades)


def _contrast(first: str, second: str) -> float:
    """(L1 + 0.05) / (L2 + 0.05) of the relative luminances, the lighter above."""
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(int(colour[k : k + 2], 16) / 255.0) for k in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
