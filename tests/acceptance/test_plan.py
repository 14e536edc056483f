"""`breakstep plan`, on runs that were measured and on one made by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from acceptance.command import breakstep as command
from acceptance.command import found_json

NODE_POOL = Path(__file__).parents[1] / "data" / "formats" / "result-1-node-pool.json"


@pytest.fixture
def knee_150(tmp_path: Path) -> Path:
    """The measured run, as if it had broken at 150/s and each process had CPU as its limit."""
    document: dict[str, Any] = json.loads(NODE_POOL.read_text())
    document["answer"] |= {"knee_per_s": 150.0, "knee_interval_per_s": [145.0, 155.0]}
    document["diagnosis"] |= {"kind": "cpu_workers", "resource": "app"}
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "result.json").write_text(json.dumps(document))
    return tmp_path


def test_the_example_of_the_documents(knee_150: Path) -> None:
    """150/s, 70 % of it counted on, 500/s at the peak, 20 connections a node, 100 allowed."""
    ended = command(
        *("plan", "run", "--peak", "500", "--headroom", "0.7"),
        *("--pool", "20", "--max-connections", "100", "--json", "-"),
        cwd=knee_150,
    )
    assert ended.returncode == 0, ended.stderr
    document = found_json(ended)
    section = document["plan"]
    assert (document["format"], document["command"]) == ("breakstep.result/1", "plan")
    assert (section["nodes"], section["spare"]) == (6, 1)
    assert section["rated_per_node"] == pytest.approx(105.0)
    assert section["database"]["fits"] is False
    assert section["database"]["connections"] == 7 * 20
    assert section["database"]["limit"] == 97
    assert ended.stderr.startswith("6 nodes")
    assert "does not fit" in ended.stderr
    assert "Remedy: a pool of at most 13" in " ".join(ended.stderr.split())


def test_what_runs_know_need_not_be_said(knee_150: Path) -> None:
    """The pool of five and the limit of the database come from the run's own signals."""
    (knee_150 / "run" / "result.json").write_text(NODE_POOL.read_text())
    ended = command("plan", "run", "--peak", "500", "--json", "plan.json", cwd=knee_150)
    assert ended.returncode == 0, ended.stderr
    section = json.loads((knee_150 / "plan.json").read_text())["plan"]
    assert (section["database"]["per_node"], section["database"]["limit"]) == (5, 97)
    assert section["cpu"][0]["source"] == "app"


def test_the_demand_may_come_from_the_file_that_the_run_was_made_with(knee_150: Path) -> None:
    """It is in the plan of the run; a flag says otherwise."""
    file = knee_150 / "run" / "result.json"
    document = json.loads(file.read_text())
    document["plan"]["demand"] = {"peak": 300.0, "headroom": 0.7, "failures": 2}
    file.write_text(json.dumps(document))
    assert command("plan", "run", cwd=knee_150).stdout.startswith("5 nodes")
    assert command("plan", "run", "--failures", "0", cwd=knee_150).stdout.startswith("3 nodes")


def test_a_burst_is_read_from_a_log(knee_150: Path) -> None:
    """A thousand seconds of 100 requests, ten of them with 200."""
    (knee_150 / "counts").write_text("\n".join(["100"] * 990 + ["200"] * 10))
    ended = command(
        *("plan", "run", "--peak", "500", "--counts", "counts", "--json", "-"), cwd=knee_150
    )
    section = found_json(ended)["plan"]
    assert section["demand"]["burst"] == pytest.approx(200 / 101 - 3.1 / 101**0.5)
    assert {row["name"]: row["source"] for row in section["assumptions"]}["burst"] == "measured"


def test_a_shared_database_gives_no_nodes_and_the_code_for_no_answer(knee_150: Path) -> None:
    """More of what waits for the database would wait too."""
    file = knee_150 / "run" / "result.json"
    document = json.loads(file.read_text())
    document["diagnosis"] |= {"kind": "database_cpu", "resource": "db"}
    file.write_text(json.dumps(document))
    ended = command("plan", "run", "--peak", "500", cwd=knee_150)
    assert ended.returncode == 3
    assert ended.stdout.startswith("No number of nodes is given for 500/s")
    assert command("plan", "run", "--peak", "500", "--linear", cwd=knee_150).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), ["--peak: say how many"]),
        (("--peak", "0", "--growth", "x", "--pool", "0"), ["--peak", "--growth", "--pool"]),
        (("--peak", "500", "--counts", "nowhere"), ["--counts: nowhere: No such file"]),
    ],
)
def test_every_fault_is_listed(
    knee_150: Path, arguments: tuple[str, ...], words: list[str]
) -> None:
    """With the code for wrong usage."""
    ended = command("plan", "run", *arguments, cwd=knee_150)
    assert ended.returncode == 2
    lines = [line.removeprefix("error: ") for line in ended.stderr.splitlines()]
    assert len(lines) == len(words)
    assert all(line.startswith(word) for line, word in zip(lines, words, strict=True))
