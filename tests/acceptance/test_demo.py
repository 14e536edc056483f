"""`breakstep demo`: the first thing a stranger runs."""

import time
from pathlib import Path

import pytest

from acceptance.again import TRIES
from acceptance.command import breakstep, found_json

pytestmark = [pytest.mark.sockets, pytest.mark.timeout(240)]


def test_the_demo_shows_the_truth_beside_the_answer_within_a_minute(tmp_path: Path) -> None:
    """It exits 0, and its answer brackets the truth of 400/s within three per cent."""
    for _ in range(TRIES):
        before = time.monotonic()
        ended = breakstep("demo", "--json", "-", cwd=tmp_path)
        took_s = time.monotonic() - before
        if found_json(ended)["trust"]["verdict"] != "invalid":
            break
    answer = found_json(ended)["answer"]
    assert (ended.returncode, answer["status"]) == (0, "found")
    assert 388 <= answer["sustainable_per_s"] < answer["broken_per_s"] <= 412
    assert "truth  400/s" in ended.stderr
    assert "answer held " in ended.stderr
    assert took_s < 60
