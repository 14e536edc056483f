"""What disturbs one step only: it is measured again, and the answer stands."""

import os
import subprocess
from functools import partial
from itertools import count
from pathlib import Path

import pytest

import breakstep
from acceptance.again import proven, valid_steps
from acceptance.command import BREAKSTEP
from acceptance.hog import hog
from acceptance.target import target
from breakstep import Result
from breakstep.store.result_json import read_result

pytestmark = pytest.mark.sockets

EIGHT_SERVERS = ("--servers", "8", "--service", "constant:20ms")


def test_one_freeze_of_the_service_does_not_break_a_staircase() -> None:
    """The load it met fails once and holds twice, the answer is the highest load and says why.

    The freeze lasts a second and holds follow one another, so one of them has half of it at least.
    """

    def holds(result: Result) -> None:
        steps = valid_steps(result)
        (frozen,) = (step for step in steps if step.verdict.name == "fail")
        assert (frozen.response_ms.max or 0.0) > 400.0
        verdicts = [s.verdict.name for s in steps if s.offered_per_s == frozen.offered_per_s]
        assert verdicts == ["fail", "pass", "pass"]
        assert (result.answer.status, result.answer.sustainable_per_s) == ("above_ceiling", 200.0)
        assert any("1 of 3 windows" in caveat for caveat in result.answer.caveats)

    proven(frozen_once, holds)


def frozen_once() -> Result:
    """Three light loads on a service that stands still for a second, three seconds on."""
    with target(*EIGHT_SERVERS, "--stall-once", "1s@3s") as url:
        return breakstep.find(url, slo="p95<100ms", steps=[100, 150, 200], hold="2s", warmup="0s")


def test_a_busy_loop_beside_one_step_costs_that_step_only(tmp_path: Path) -> None:
    """It is invalid, measured again and passes; the answer is given, exit 0."""

    def holds(ended: tuple[int, Result]) -> None:
        code, result = ended
        verdicts = [(step.offered_per_s, step.verdict.name) for step in result.steps]
        assert verdicts == [(100.0, "pass"), (150.0, "invalid"), (150.0, "pass"), (200.0, "pass")]
        assert (code, result.answer.status) == (0, "above_ceiling")
        assert result.answer.sustainable_per_s == 200.0

    tries = count()
    proven(lambda: hogged_once(tmp_path / str(next(tries))), holds)


def hogged_once(out: Path) -> tuple[int, Result]:
    """The exit code and the result of a search whose core is not its own in the second step."""
    core = max(os.sched_getaffinity(0))
    flags = ("--steps", "100,150,200", "--hold", "2s", "--warmup", "0s", "--slo", "p95<100ms")
    start = partial(subprocess.Popen, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    with (
        target(*EIGHT_SERVERS) as url,
        start([*BREAKSTEP, "find", url, *flags, "--pin", str(core), "--out", str(out)]) as process,
    ):
        assert process.stderr is not None
        next(line for line in process.stderr if line.startswith("step 1: "))
        with hog(core):
            next(line for line in process.stderr if line.startswith("step 2: "))
        process.stderr.read()
    return process.returncode, read_result(out)
