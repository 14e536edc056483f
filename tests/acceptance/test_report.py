"""A stored run once more."""

import json
from pathlib import Path

import pytest

from acceptance.command import breakstep as command
from acceptance.target import target
from breakstep.diagnosis.diagnose import diagnose
from breakstep.diagnosis.observed import observed_of
from breakstep.model.probe import ProbeState
from breakstep.store.finding_json import to_section
from breakstep.store.result_json import read_result
from breakstep.store.signals_csv import read_signals

pytestmark = pytest.mark.sockets


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that broke, with what its host did meanwhile."""
    home = tmp_path_factory.mktemp("broken")
    with target("--servers", "2", "--service", "constant:10ms") as url:
        ended = command(
            *("find", url, "--steps", "100,300", "--hold", "1s", "--warmup", "300ms"),
            *("--slo", "p95<50ms", "--arrivals", "uniform", "--probe", "host,every=100ms"),
            *("--out", "run"),
            cwd=home,
        )
    assert ended.returncode == 0, ended.stderr
    return home / "run"


def test_a_run_is_shown_again_as_it_ended(broken: Path) -> None:
    """The same conclusion, with what broke first under it."""
    ended = command("report", str(broken), cwd=broken)
    assert ended.returncode == 0
    assert "Breaks between 100/s and 300/s" in ended.stdout
    assert "What broke" in ended.stdout


def test_the_reasoning_comes_with_the_seconds_around_the_break(broken: Path) -> None:
    """What was shown, what was not looked at, and an arrow at the second it went wrong."""
    ended = command("report", str(broken), "--why", cwd=broken)
    assert "\nKind: " in ended.stdout
    assert sum(line.startswith("→") for line in ended.stdout.splitlines()) == 1
    assert "host" in ended.stdout


def test_json_and_html_are_those_of_the_run(broken: Path) -> None:
    """Byte for byte: nothing was kept out of the files."""
    for name, form in (("result.json", "json"), ("report.html", "html")):
        ended = command("report", str(broken), "--format", form, cwd=broken)
        assert ended.stdout == (broken / name).read_text(), name


def test_a_stored_run_is_diagnosed_in_the_same_bytes(broken: Path) -> None:
    """The diagnosis looks at nothing but what is stored."""
    result, series = read_result(broken), read_signals(broken / "signals.csv")
    states = [ProbeState(**state) for state in result.sections["signals"]["sources"]]
    again = to_section(diagnose(observed_of(result, series, states)))
    assert json.dumps(again) == json.dumps(result.sections["diagnosis"])


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    """With what to name instead."""
    ended = command("report", str(tmp_path), cwd=tmp_path)
    assert ended.returncode == 1
    assert "name a run directory" in ended.stderr
