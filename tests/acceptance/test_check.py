"""The gate on sockets: exit codes, files, and a change between two versions."""

import json
import sys
from pathlib import Path
from xml.etree.ElementTree import parse

import pytest

from acceptance.again import proven
from acceptance.command import breakstep as command
from acceptance.command import found_json
from acceptance.target import target

pytestmark = pytest.mark.sockets

SERVICE = ("--servers", "8", "--service", "constant:5ms")
SLOWER = ("--servers", "8", "--service", "constant:7ms")
SHORT = ("--rate", "300", "--for", "2s", "--warmup", "200ms")
CHANGE = ("--rate", "400", "--for", "4s", "--pairs", "5", "--slo", "p90<200ms")
SERVER = """
import sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        time.sleep(float(sys.argv[2]))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass

ThreadingHTTPServer.request_queue_size = 100
ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""
"""Starts in a moment, and takes so many seconds for each request."""


def test_a_load_that_is_carried_is_green(tmp_path: Path) -> None:
    """Exit 0, a run directory, the section, JUnit, and a summary where GitHub wants it."""

    def run() -> dict[str, object]:
        out = tmp_path / f"run{len(list(tmp_path.iterdir()))}"
        files = ("--junit", f"{out}.xml", "--summary", f"{out}.md", "--out", str(out))
        with target(*SERVICE) as url:
            ended = command(
                *("check", url, *SHORT, "--slo", "p95<200ms", "--json", "-", *files),
                cwd=tmp_path,
                env={"GITHUB_STEP_SUMMARY": f"{out}.step"},
            )
        return {"ended": ended, "out": out}

    def holds(found: dict[str, object]) -> None:
        ended, out = found["ended"], found["out"]
        assert ended.returncode == 0, ended.stderr  # type: ignore[attr-defined]
        stored = json.loads((Path(str(out)) / "result.json").read_text())
        assert found_json(ended) == stored  # type: ignore[arg-type]
        gate = stored["check"]
        assert (gate["verdict"], gate["offered_per_s"]) == ("pass", 300.0)
        assert [one["slo"] for one in gate["criteria"]] == ["p95<200ms"]
        assert stored["command"] == "check"
        names = {file.name for file in Path(str(out)).iterdir()}
        assert names == {
            *("result.json", "intervals.csv", "signals.csv", "histograms.hlog", "report.html")
        }
        suite = parse(f"{out}.xml").getroot()[0]  # noqa: S314  we wrote it
        assert suite.attrib["failures"] == suite.attrib["errors"] == "0"
        summary = Path(f"{out}.md").read_text()
        assert summary.startswith("## ✅")
        assert Path(f"{out}.step").read_text() == summary

    proven(run, holds)


def test_a_load_that_is_not_carried_is_red(tmp_path: Path) -> None:
    """Exit 99, and what failed is said; nobody's fault but the service's."""

    def run() -> object:
        with target("--servers", "1", "--service", "constant:5ms") as url:
            return command("check", url, *SHORT, "--slo", "p95<50ms", cwd=tmp_path)

    def holds(ended: object) -> None:
        assert ended.returncode == 99, ended  # type: ignore[attr-defined]
        assert "Red: an objective was missed at 300/s" in ended.stdout  # type: ignore[attr-defined]

    proven(run, holds)


def test_what_is_not_decided_is_no_answer(tmp_path: Path) -> None:
    """Exit 3 with a remedy: at five of a hundred allowed, with five of a hundred bad."""
    with target(*SERVICE, "--errors", "5%") as url:
        ended = command("check", url, *SHORT, "--slo", "errors<5%", cwd=tmp_path)
    assert ended.returncode == 3, ended
    assert "Remedy: " in ended.stdout


def test_an_objective_that_nobody_could_judge_is_refused(tmp_path: Path) -> None:
    """Before any load, with what to raise."""
    flags = ("--rate", "10", "--for", "5s", "--slo", "p99.9<1s")
    ended = command("check", "http://127.0.0.1:9/", *flags, cwd=tmp_path)
    assert ended.returncode == 2
    assert "p99.9 cannot be judged at 10/s" in ended.stderr
    assert "raise --for" in ended.stderr


@pytest.mark.parametrize(("head", "code"), [(SERVICE, 0), (SLOWER, 99)], ids=["equal", "slower"])
def test_a_change_is_judged_against_its_base(
    head: tuple[str, ...], code: int, tmp_path: Path
) -> None:
    """Equal code is green and 40 % slower code red, by blocks that took turns."""

    def run() -> dict[str, object]:
        with target(*SERVICE) as base, target(*head) as url:
            asked = ("check", url, "--against", base, *CHANGE, "--json", "-")
            ended = command(*asked, cwd=tmp_path)
        return {"code": ended.returncode, **found_json(ended)}

    def holds(found: dict[str, object]) -> None:
        assert found["code"] == code
        compared = found["check"]["comparison"]  # type: ignore[index]
        assert compared["pairs"] == 5
        sides = [(block["pair"], block["side"]) for block in compared["blocks"]]
        assert len(set(sides)) == 10
        assert [len(run["steps"]) for run in found["runs"]] == [5, 5]  # type: ignore[attr-defined]

    proven(run, holds)


def test_versions_are_brought_up_and_ended_by_commands(tmp_path: Path) -> None:
    """On one address, one at a time; nothing is left when it is over."""
    server = tmp_path / "server.py"
    server.write_text(SERVER)
    with target() as free:
        port = free.rstrip("/").rpartition(":")[2]
    url = f"http://localhost:{port}/"
    up = [f"exec {sys.executable} -S {server} {port} {seconds}" for seconds in (0.02, 0.03)]

    def run() -> dict[str, object]:
        commands = ("--base-command", up[0], "--head-command", up[1])
        flags = ("--rate", "150", "--for", "4s", "--pairs", "4", "--slo", "p90<1s")
        ended = command("check", url, *commands, *flags, "--json", "-", cwd=tmp_path)
        return {"code": ended.returncode, "said": ended.stderr, **found_json(ended)}

    def holds(found: dict[str, object]) -> None:
        assert found["code"] == 99, found["said"]
        assert found["plan"]["load"]["base_command"] == "***"  # type: ignore[index]

    proven(run, holds)
    refused = command("check", url, *SHORT, "--slo", "p95<1s", cwd=tmp_path)
    assert "connection refused" in refused.stderr


@pytest.mark.parametrize(
    ("up", "says"),
    [
        ("echo no such image >&2; exit 7", "the command failed with 7: no such image"),
        ("kill -9 $$", "the command failed with -9; it said nothing"),
    ],
)
def test_a_command_that_fails_is_said(up: str, says: str, tmp_path: Path) -> None:
    """With its last words."""
    commands = ("--base-command", "true", "--head-command", up)
    ended = command("check", "http://127.0.0.1:9/", *commands, *CHANGE, cwd=tmp_path)
    assert ended.returncode == 1
    assert f"--head-command: {says}" in ended.stderr
