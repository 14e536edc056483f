"""A search that samples its target."""

import json
from pathlib import Path

import pytest

import breakstep
from acceptance.command import FAST
from acceptance.command import breakstep as command
from acceptance.target import target

pytestmark = pytest.mark.sockets

SAMPLER = (
    "import time, json\n"
    "for number in range(1000):\n"
    "    print(json.dumps({'queue': number}), flush=True)\n"
    "    time.sleep(0.05)\n"
)


def test_a_signal_is_written_and_set_beside_its_step(tmp_path: Path) -> None:
    """Every sample to the file, the mean of a step's own window into the result."""
    script = tmp_path / "sampler.py"
    script.write_text(SAMPLER)
    with target("--servers", "4", "--service", "constant:5ms") as url:
        result = breakstep.find(
            url,
            slo="errors<1%",
            steps=[50, 100],
            hold="1s",
            warmup="0s",
            probe=f"command:python3 {script},every=100ms,name=app",
            out=tmp_path / "run",
        )
    signals = result.sections["signals"]
    assert [(source["label"], source["says"]) for source in signals["sources"]] == [("app", None)]
    (first,), (second,) = (step["signals"] for step in signals["steps"])
    assert (first["source"], first["kind"], first["name"]) == ("app", "command", "queue")
    assert first["max"] < second["min"]
    rows = (tmp_path / "run" / "signals.csv").read_text().splitlines()
    assert sum(",app,queue,," in row and row.endswith(",command") for row in rows) > 10


def test_a_probe_that_cannot_be_opened_ends_the_run_before_any_load(tmp_path: Path) -> None:
    """Exit 1, and every probe that failed with its remedy."""
    with target("--servers", "4", "--service", "constant:5ms") as url:
        ended = command(
            *("find", url, *FAST),
            *("--probe", "json:http://127.0.0.1:9/a", "--probe", "json:http://127.0.0.1:9/b"),
            cwd=tmp_path,
        )
    assert ended.returncode == 1
    assert ended.stderr.count("--probe json:http://127.0.0.1:9/") == 2
    assert not (tmp_path / "breakstep-runs").exists()


def test_a_probe_that_dies_costs_its_signals_only(tmp_path: Path) -> None:
    """The answer stands, and says so."""
    script = tmp_path / "sampler.py"
    script.write_text("print('{\"queue\": 1}', flush=True)\nimport time; time.sleep(0.3)\n")
    with target("--servers", "4", "--service", "constant:5ms") as url:
        ended = command(
            *("find", url, *FAST, "--probe", f"command:python3 {script},every=50ms,name=app"),
            *("--json", "-", "--hold", "1s"),
            cwd=tmp_path,
        )
    assert ended.returncode == 0
    answer = json.loads(ended.stdout)["answer"]
    assert answer["status"] == "above_ceiling"
    assert any(text.startswith("The probe app ") for text in answer["caveats"])


def test_auto_turns_on_what_applies_to_a_local_target() -> None:
    """Its process and its listener, beside the host; whatever was found is read."""
    with target("--servers", "4", "--service", "constant:5ms") as url:
        result = breakstep.find(
            url, slo="errors<1%", steps=[50], hold="1s", warmup="0s", probe="auto"
        )
    sources = result.sections["signals"]["sources"]
    assert {"host", "listen", "process"} <= {source["kind"] for source in sources}
    assert all(source["samples"] > 0 for source in sources)
