"""`breakstep demo`: the first thing a stranger runs."""

import subprocess
import time
from functools import partial
from pathlib import Path

import pytest

from acceptance.again import proven
from acceptance.command import breakstep, found_json

pytestmark = [pytest.mark.sockets, pytest.mark.timeout(240)]


def test_the_demo_shows_the_truth_beside_the_answer_within_a_minute(tmp_path: Path) -> None:
    """It exits 0, and its answer brackets the truth of 400/s within three per cent."""

    def holds(ended: subprocess.CompletedProcess[str]) -> None:
        answer = found_json(ended)["answer"]
        assert (ended.returncode, answer["status"]) == (0, "found")
        assert 388 <= answer["sustainable_per_s"] < answer["broken_per_s"] <= 412
        assert "truth  400/s" in ended.stderr
        assert "answer held " in ended.stderr

    proven(partial(demonstrated, tmp_path), holds)


def demonstrated(cwd: Path) -> subprocess.CompletedProcess[str]:
    """The command; a minute is enough for it, whatever it finds."""
    before = time.monotonic()
    ended = breakstep("demo", "--json", "-", cwd=cwd)
    assert time.monotonic() - before < 60
    return ended
