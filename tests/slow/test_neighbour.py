"""A busy neighbour beside one step. It wants a machine that nobody else uses, hence among these."""

import os
import subprocess
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from acceptance.again import proven
from acceptance.command import BREAKSTEP
from acceptance.hog import hog
from acceptance.target import target
from breakstep import Result
from breakstep.store.result_json import read_result

pytestmark = [pytest.mark.sockets, pytest.mark.slow]


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
        target("--servers", "8", "--service", "constant:20ms") as url,
        start([*BREAKSTEP, "find", url, *flags, "--pin", str(core), "--out", str(out)]) as process,
    ):
        assert process.stderr is not None
        next(line for line in process.stderr if line.startswith("step 1: "))
        with hog(core):
            next(line for line in process.stderr if line.startswith("step 2: "))
        process.stderr.read()
    return process.returncode, read_result(out)
