"""How long one request takes when nobody else asks: what loads are derived from."""

import time
import urllib.request
from statistics import quantiles

from breakstep.model.errors import LabError

WARM, COUNTED = 20, 50


def unloaded_s(url: str, *, warm: int = WARM, counted: int = COUNTED) -> float:
    """Of requests one after another, once the program is warm: the lower quartile.

    Others disturb, and never make it faster. Raises LabError.
    """
    for _ in range(warm):
        _seconds(url)
    return quantiles(_seconds(url) for _ in range(counted))[0]


def _seconds(url: str) -> float:
    began = time.perf_counter()
    try:
        # Only ever asked of a stack of ours.
        with urllib.request.urlopen(url, timeout=10.0) as answer:  # noqa: S310
            answer.read()
    except OSError as error:
        raise LabError(f"{url} does not answer as it should: {error}") from error
    return time.perf_counter() - began
