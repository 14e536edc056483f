"""The history on the command line, with a thousand runs in it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from acceptance.command import breakstep as command

RUNS = 1000
NONE = "None of the 1000 runs in breakstep-runs fits.\n"
HEAVY = ("numpy", "scipy", "rich", "jinja2")
"""What would cost a quick verb its quickness."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a thousand runs under `breakstep-runs`, an hour apart."""
    found = tmp_path_factory.mktemp("home")
    for k in range(RUNS):
        write_run(found, k)
    return found


def name_of(k: int) -> str:
    """The id of the k-th run."""
    return f"202601{1 + k // 24:02}T{k % 24:02}0000Z-{k:06x}"


def write_run(home: Path, k: int) -> None:
    """A run that broke near 150/s, at one of two targets."""
    document = {
        "format": "breakstep.result/1",
        "command": "find",
        "id": name_of(k),
        "plan": {"target": {"url": f"http://127.0.0.1:{8080 + k % 2}/"}, "slos": ["p95<200ms"]},
        "environment": {"started_at": f"2026-01-01T00:{k // 60:02}:{k % 60:02}+00:00", "cores": 2},
        "runs": [],
        "answer": {
            "status": "found",
            "sustainable_per_s": 145.0,
            "broken_per_s": 155.0,
            "knee_per_s": 150.0 + k / RUNS,
            "knee_interval_per_s": [145.0, 155.0],
        },
        "diagnosis": {
            "kind": "cpu_workers",
            "resource": "php",
            "confidence": "high",
            "evidence": [],
            "alternatives": [],
        },
        "trust": {"verdict": "trusted", "checks": []},
    }
    directory = home / "breakstep-runs" / name_of(k)
    directory.mkdir(parents=True)
    (directory / "result.json").write_text(json.dumps(document))


def run(home: Path, *arguments: str, code: int = 0) -> str:
    """Standard output of a command there, with a cache of its own."""
    ended = command(*arguments, cwd=home, env={"XDG_CACHE_HOME": str(home / "cache")})
    assert ended.returncode == code, ended.stderr
    return ended.stdout


def spoil(file: Path) -> str:
    """Makes a file unreadable as a result without changing its time or size; what was there."""
    seen, text = file.stat(), file.read_text()
    file.write_text("#" * len(text))
    os.utime(file, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    return text


def test_a_warm_history_opens_no_run(home: Path) -> None:
    """Every result is spoilt behind its back: it lists them all the same."""
    cold = run(home, "runs", "--limit", "0")
    assert cold.count("145 … 155/s") == RUNS
    files = sorted((home / "breakstep-runs").glob("*/result.json"))
    before = {file: spoil(file) for file in files}
    try:
        assert run(home, "runs", "--limit", "0") == cold
    finally:
        for file, text in before.items():
            file.write_text(text)


def test_the_newest_come_last_and_can_be_chosen(home: Path) -> None:
    """By target, by time, by number."""
    lines = run(home, "runs", "--limit", "2").splitlines()
    assert [line.split()[0] for line in lines[1:3]] == [name_of(998), name_of(999)]
    chosen = json.loads(run(home, "runs", "--target", ":8081", "--limit", "3", "--json", "-"))
    assert [entry["id"] for entry in chosen["runs"]] == [name_of(k) for k in (995, 997, 999)]
    assert run(home, "runs", "--since", "2026-01-02") == NONE
    late = json.loads(run(home, "runs", "--since", "2026-01-01T00:16:38Z", "--json", "-"))
    assert len(late["runs"]) == 2


def test_runs_are_compared_by_name(home: Path) -> None:
    """The newest, the one before it, and a part of an id."""
    text = run(home, "compare", "last-1", "last")
    assert name_of(998) in text
    assert "No difference is shown: 151/s → 151/s" in text
    assert name_of(255) in run(home, "compare", "0000ff", "last")


def test_a_plan_is_made_of_runs_by_name(home: Path) -> None:
    """From the lower end of the interval of one: 500 / 145 is 3.4."""
    assert run(home, "plan", "last", "--peak", "500").startswith("5 nodes")


@pytest.mark.parametrize(
    ("arguments", "words", "code"),
    [
        (("compare", "last"), "name from 2 to 26 runs", 2),
        (("compare", "last", "nothing"), "there is no run 'nothing'", 1),
        (("compare", "last", "2026"), "may be any of 1000 runs", 1),
        (("runs", "--since", "tomorrow"), "--since: 'tomorrow' is neither a day", 2),
    ],
)
def test_what_cannot_be_meant_is_said(
    home: Path, arguments: tuple[str, ...], words: str, code: int
) -> None:
    """With the code of its kind."""
    ended = command(*arguments, cwd=home, env={"XDG_CACHE_HOME": str(home / "cache")})
    assert ended.returncode == code
    assert words in ended.stderr


@pytest.mark.parametrize("verb", [("runs",), ("compare", "last", "last-1")], ids=lambda v: v[0])
def test_quick_verbs_load_nothing_heavy(home: Path, verb: tuple[str, ...]) -> None:
    """A quick answer is worth more than any library."""
    code = (
        "import sys; sys.argv = ['breakstep', *sys.argv[1:]]\n"
        "from breakstep.cli.app import app\n"
        "app(standalone_mode=False)\n"
        f"print('loaded', [name for name in {HEAVY!r} if name in sys.modules])"
    )
    ended = command_of(code, *verb, cwd=home)
    assert ended.endswith("loaded []\n"), ended


def command_of(code: str, *arguments: str, cwd: Path) -> str:
    """Standard output of a Python program."""
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=cwd,
        env={**os.environ, "XDG_CACHE_HOME": str(cwd / "cache")},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    ).stdout
