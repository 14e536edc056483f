"""The number that is not given: a generator that was not left alone."""

import os
from pathlib import Path

import pytest

from acceptance.command import breakstep, found_json
from acceptance.hog import hog
from acceptance.target import target

pytestmark = pytest.mark.sockets


def test_beside_a_busy_loop_on_its_core_the_generator_gives_no_number(tmp_path: Path) -> None:
    """Exit 3, untrusted, and the core is named."""
    core = max(os.sched_getaffinity(0))
    with target("--servers", "8", "--service", "constant:20ms") as url, hog(core):
        ended = breakstep(
            *("find", url, "--steps", "100,200", "--hold", "2s", "--warmup", "0s"),
            *("--slo", "p95<100ms", "--pin", str(core), "--json", "-"),
            cwd=tmp_path,
        )
    found = found_json(ended)
    assert ended.returncode == 3
    assert found["answer"]["status"] == "untrusted"
    assert found["answer"]["sustainable_per_s"] is None
    assert found["runs"][0]["stop_reason"] == "untrusted"
    step = found["runs"][0]["steps"][-1]
    assert step["verdict"] == "invalid"
    assert any(f"of core {core}" in reason for reason in step["reasons"])
