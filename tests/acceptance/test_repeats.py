"""The whole search several times."""

from pathlib import Path

import pytest

import breakstep
from acceptance.command import breakstep as command
from acceptance.target import target
from breakstep.store.result_json import read_result

pytestmark = pytest.mark.sockets


def test_each_run_is_kept_and_the_command_runs_between_them(tmp_path: Path) -> None:
    """Two pauses in three runs, arrivals of their own, and the range of all."""
    marks = tmp_path / "marks"
    with target("--servers", "4", "--service", "constant:5ms") as url:
        result = breakstep.find(
            url,
            slo="p95<100ms",
            steps=[100],
            hold="1s",
            warmup="0s",
            repeat=3,
            between=f"echo again >> {marks}",
            out=tmp_path / "run",
        )
    assert marks.read_text().split() == ["again", "again"]
    assert [len(run.steps) for run in result.runs] == [1, 1, 1]
    assert len({run.seed for run in result.runs}) == 3
    assert result.answer.status == "above_ceiling"
    assert result.answer.range_per_s == (100.0, 100.0)
    rows = (tmp_path / "run" / "intervals.csv").read_text().splitlines()[1:]
    assert {row.split(",")[2] for row in rows} == {"0", "1", "2"}


def test_a_command_that_fails_ends_the_run_with_what_it_said(tmp_path: Path) -> None:
    """Exit 1, the last line of the command, and the run before it kept."""
    with target("--servers", "4", "--service", "constant:5ms") as url:
        ended = command(
            *("find", url, "--steps", "50", "--hold", "300ms", "--warmup", "0s"),
            *("--repeat", "2", "--between", "echo no restart today >&2; exit 7"),
            cwd=tmp_path,
        )
    assert ended.returncode == 1
    assert "--between: the command failed with 7: no restart today" in ended.stderr
    (out,) = (tmp_path / "breakstep-runs").iterdir()
    kept = read_result(out)
    assert [len(run.steps) for run in kept.runs] == [1]
    assert any(text.startswith("Run 2 of 2 failed: ") for text in kept.answer.caveats)
