"""Screenshots, made small and grey, compared with how a page looked when somebody looked at it."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

if TYPE_CHECKING:
    from numpy.typing import NDArray

GOLDEN = Path(__file__).parent / "golden"
SHRINK = 2
BLOCK = 8
"""Blocks of so many pixels of the small picture, some 64 of the screen, are compared as a whole."""
NOTICED = 6.0
"""Shades out of 255 by which a block has to differ to count: storing a picture takes up to 4."""
ALLOWED = 0.002
"""The share of blocks that may differ: antialiasing is not the same everywhere."""


def assert_looks_like(name: str, screenshot: bytes) -> None:
    """The screenshot is the golden picture but for a few blocks. UPDATE_GOLDEN=1 writes it anew."""
    file, seen = GOLDEN / f"{name}.webp", _small(screenshot)
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.mkdir(exist_ok=True)
        seen.save(file, quality=40, method=6)
    with Image.open(file) as golden:
        share = different(golden.convert("L"), seen)
    if share > ALLOWED:
        seen.save(file.with_suffix(".seen.png"))
    assert share <= ALLOWED, (
        f"{share:.1%} of {name} looks different: compare {file.name} with "
        f"{file.with_suffix('.seen.png').name}; UPDATE_GOLDEN=1 keeps the new look"
    )


def different(golden: Image.Image, seen: Image.Image) -> float:
    """The share of blocks that differ; all of them where a page is longer by more than a line."""
    if golden.width != seen.width or abs(golden.height - seen.height) > BLOCK // 2:
        return 1.0
    height = min(golden.height, seen.height)
    first, second = _blocks(golden, height), _blocks(seen, height)
    return float(np.mean(np.abs(first - second) > NOTICED))


def _small(screenshot: bytes) -> Image.Image:
    with Image.open(io.BytesIO(screenshot)) as image:
        return image.convert("L").resize(
            (image.width // SHRINK, image.height // SHRINK), Image.Resampling.BOX
        )


def _blocks(image: Image.Image, height: int) -> NDArray[np.float64]:
    rows, columns = height // BLOCK, image.width // BLOCK
    pixels = np.asarray(image, dtype=np.float64)[: rows * BLOCK, : columns * BLOCK]
    means: NDArray[np.float64] = pixels.reshape(rows, BLOCK, columns, BLOCK).mean(axis=(1, 3))
    return means
