"""The gate's promise on sockets: equal code stays green, a fifth slower goes red."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.sockets, pytest.mark.slow, pytest.mark.timeout(2_400)]
ROOT = Path(__file__).parents[2]


def test_equal_code_is_green_and_slower_code_red() -> None:
    """Twenty checks of equal code without an alarm, nine of ten of slower code red."""
    measured = subprocess.run(
        [sys.executable, "-m", "benchmarks.gate"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert measured.returncode == 0, measured.stdout + measured.stderr
