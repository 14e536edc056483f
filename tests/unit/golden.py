"""Compares text with a file of this directory; UPDATE_GOLDEN=1 rewrites the files instead."""

import os
from pathlib import Path

_DIRECTORY = Path(__file__).parent / "golden"


def assert_golden(name: str, text: str) -> None:
    """The text is what the file says, character by character."""
    file = _DIRECTORY / name
    if os.environ.get("UPDATE_GOLDEN"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8"), f"{name} differs; UPDATE_GOLDEN=1 rewrites it"
