"""Ctrl-C: the search ends within a second, and what was measured is kept."""

import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from acceptance.command import BREAKSTEP
from acceptance.files import intervals
from acceptance.target import target
from breakstep.store.result_json import read_result

pytestmark = pytest.mark.sockets

# One second is the promise; the other is for the interpreter of a busy machine to end.
SOON_S = 2.0
FLAGS = ("--slo", "errors<1%", "--warmup", "0s", "--hold", "3s", "--out", "run")


@contextmanager
def searching(url: str, cwd: Path, *flags: str) -> Iterator[subprocess.Popen[str]]:
    """A search under way; its progress comes line by line on standard error."""
    with subprocess.Popen(
        [*BREAKSTEP, "find", url, *FLAGS, *flags],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for(process: subprocess.Popen[str], words: str) -> None:
    """Returns when a line of the progress has these words."""
    assert process.stderr is not None
    assert any(words in line for line in process.stderr)


def ended_s(process: subprocess.Popen[str], number: signal.Signals) -> float:
    """How long the process takes to end after the signal."""
    before = time.monotonic()
    process.send_signal(number)
    process.wait(timeout=30)
    return time.monotonic() - before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_search_keeps_its_steps(number: signal.Signals, tmp_path: Path) -> None:
    """Exit 130, the finished step judged, the one under way undecided with its arrivals."""
    with (
        target("--servers", "8", "--service", "constant:1ms") as url,
        searching(url, tmp_path, "--steps", "50,60,70") as process,
    ):
        wait_for(process, "step 1:")
        time.sleep(1.5)
        assert ended_s(process, number) < SOON_S
        assert process.returncode == 130
        assert process.stdout is not None
        assert "Interrupted after 2 steps" in process.stdout.read()
    result, rows = read_result(tmp_path / "run"), intervals(tmp_path / "run")
    first, second = result.steps
    assert result.runs[0].stop_reason == "interrupted"
    assert (first.verdict.name, second.verdict.name) == ("pass", "undecided")
    assert second.verdict.reasons == ("interrupted",)
    for step in (first, second):
        held = [row for row in rows if row["phase"] == "hold" and row["step"] == str(step.index)]
        assert sum(int(row["arrivals"]) for row in held) == step.arrivals > 0
    assert (tmp_path / "run" / "report.html").exists()


def test_requests_without_an_answer_do_not_hold_up_the_end(tmp_path: Path) -> None:
    """A frozen service is not waited for, in a step or after its hold."""
    with (
        target("--service", "0", "--stall-once", "1h@2500ms") as url,
        searching(url, tmp_path, "--steps", "50", "--timeout", "1m", "--no-abort") as process,
    ):
        wait_for(process, "SLO")
        time.sleep(4.0)
        assert ended_s(process, signal.SIGINT) < SOON_S
        assert process.returncode == 130
    (step,) = read_result(tmp_path / "run").steps
    assert step.verdict.name == "undecided"
    assert 0 < step.ok < step.arrivals


def test_a_search_can_be_interrupted_before_its_first_step(tmp_path: Path) -> None:
    """In the first contact with a slow service: nothing was measured, and the result says so."""
    with (
        target("--service", "constant:20s") as url,
        searching(url, tmp_path, "--timeout", "1m") as process,
    ):
        time.sleep(1.5)
        assert ended_s(process, signal.SIGINT) < SOON_S
        assert process.returncode == 130
    assert read_result(tmp_path / "run").steps == ()
