"""The command line: exit codes, messages, standard output and the files of a run."""

import json
import os
import pty
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import breakstep as api
from acceptance.command import BREAKSTEP, FAST, breakstep, found_json
from acceptance.files import histograms, intervals
from acceptance.target import target
from breakstep.store.result_json import dumps, read_result
from servers.hostile import full_backlog, hostile

pytestmark = pytest.mark.sockets

DURATIONS = {"mean", "p50", "p75", "p90", "p95", "p98", "p99", "p99_9", "p99_99", "max"}
ENVELOPE = {
    *("format", "command", "id", "plan", "environment"),
    *("runs", "answer", "diagnosis", "trust"),
}
RUN = {"seed", "stop_reason", "sustainable_per_s", "broken_per_s", "steps"}
STEP = {
    *("index", "offered_per_s", "arrivals", "sent", "completed", "ok", "outcomes"),
    *("sent_per_s", "completed_per_s", "goodput_per_s", "response_ms", "service_ms"),
    *("lateness_ms", "in_flight", "queue", "verdict", "reasons", "window"),
}
ANSWER = {
    *("status", "sustainable_per_s", "range_per_s", "knee_per_s", "knee_interval_per_s"),
    *("capacity_per_s", "caveats"),
}
DIAGNOSIS = {"kind", "resource", "confidence", "evidence", "alternatives"}
FILES = {"result.json", "intervals.csv", "signals.csv", "histograms.hlog", "report.html"}
OUTCOMES = {
    *("ok", "check_failed", "http_error", "timeout", "connect", "tls", "reset", "protocol"),
    "dropped",
}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A quick service, for what does not depend on it."""
    with target("--servers", "8", "--service", "constant:1ms") as found:
        yield found


def failed(url: str, cwd: Path, *flags: str) -> tuple[int, str]:
    """Exit code and message of a search that never begins; nothing else is printed or kept."""
    ended = breakstep("find", url, *FAST, "--timeout", "1s", *flags, "--quiet", cwd=cwd)
    assert ended.stdout == ""
    assert "Traceback" not in ended.stderr
    assert list(cwd.iterdir()) == []
    return ended.returncode, ended.stderr


def test_an_answer_exits_0_and_says_so_in_words(url: str, tmp_path: Path) -> None:
    """The service did not break: a table, the rule, and where the files are."""
    ended = breakstep("find", url, *FAST, cwd=tmp_path)
    assert ended.returncode == 0
    assert "Did not break: 50/s" in ended.stdout
    assert "Rule: a rate holds if its own window" in ended.stdout
    (out,) = (tmp_path / "breakstep-runs").iterdir()
    assert {file.name for file in out.iterdir()} == FILES
    assert f"breakstep-runs/{out.name}/report.html" in ended.stdout


def test_a_broken_load_exits_0_with_the_rate(tmp_path: Path) -> None:
    """Found is an answer."""
    with target("--servers", "1", "--service", "constant:20ms") as slow:
        flags = ("--steps", "20,200", "--hold", "2s", "--warmup", "0s", "--slo", "p95<100ms")
        ended = breakstep("find", slow, *flags, "--arrivals", "uniform", cwd=tmp_path)
    assert ended.returncode == 0
    assert "Breaks between 20/s and 200/s: at 200/s p95 was" in ended.stdout


def test_every_plan_fault_is_listed_and_exits_2(url: str, tmp_path: Path) -> None:
    """One `error:` line each on standard error, and no load."""
    flags = ("--slo", "fast", "--steps", "9,3", "--hold", "0s", "--timeout", "x", "--pin", "a")
    code, message = failed(url, tmp_path, *flags, "--arrivals", "y", "--workers", "0")
    assert code == 2
    places = [line.split(": ")[1].split(":")[0] for line in message.splitlines()]
    assert places == [
        *("--slo", "--steps", "--hold", "--timeout", "--pin"),
        *("--arrivals", "--workers"),
    ]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("http://nosuch.invalid/", "cannot resolve 'nosuch.invalid'"),
        ("http://127.0.0.1:1/", "is the service running, and is this its port?"),
    ],
)
def test_a_target_that_is_not_there_exits_1_with_the_remedy(
    wrong: str, words: str, tmp_path: Path
) -> None:
    """An unknown name and a refused port."""
    code, message = failed(wrong, tmp_path)
    assert (code, message.count("\n")) == (1, 1)
    assert words in message


@pytest.mark.parametrize(
    ("scheme", "behaviour", "words"),
    [
        ("https", "not_found", "write http:// if the port is plain"),
        ("https", "plain_text_to_tls", "write http:// if the port is plain"),
        ("http", "tls_alert", "write https:// if this is a TLS port"),
        ("http", "ssh_banner", "is it an HTTP/1.1 server?"),
        ("http", "closes_without_answer", "is it an HTTP/1.1 server?"),
        ("http", "not_found", "is answered 404 every time: check the path"),
    ],
)
def test_a_target_that_speaks_otherwise_exits_1_with_the_remedy(
    scheme: str, behaviour: str, words: str, tmp_path: Path
) -> None:
    """TLS to a plain port, plain text to a TLS port, another protocol, a wrong path."""
    with hostile(behaviour) as address:
        code, message = failed(f"{scheme}://{address}/", tmp_path)
    assert (code, message.count("\n")) == (1, 1)
    assert words in message


def test_a_target_that_never_accepts_exits_1_with_the_remedy(tmp_path: Path) -> None:
    """The first contact waits for the timeout and no longer."""
    with full_backlog() as address:
        code, message = failed(f"http://{address}/", tmp_path, "--timeout", "500ms")
    assert code == 1
    assert "cannot be measured" in message


@pytest.mark.parametrize("host", ["203.0.113.1", "8.8.8.8", "[2001:db8::1]", "169.254.169.254"])
def test_a_foreign_host_exits_2_and_names_the_flag(host: str, tmp_path: Path) -> None:
    """Load on other people's machines needs their consent."""
    code, message = failed(f"http://{host}/", tmp_path)
    assert code == 2
    assert f"add --authorized {host.strip('[]')}" in message


def test_a_foreign_host_is_sent_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is refused before the engine exists."""

    def must_not(*_: object) -> None:
        raise AssertionError("the engine was opened")

    monkeypatch.setattr("breakstep.session.stage.start_engine", must_not)
    with pytest.raises(api.PlanError, match="--authorized"):
        api.find("http://203.0.113.1/")


def test_standard_output_is_one_json_document_with_every_key(url: str, tmp_path: Path) -> None:
    """`--json -` prints the result alone, with what other programs rely on."""
    ended = breakstep("find", url, *FAST, "--json", "-", cwd=tmp_path)
    found = found_json(ended)
    (run,) = found["runs"]
    step = run["steps"][-1]
    assert found["format"] == "breakstep.result/1"
    assert found.keys() >= ENVELOPE
    assert run.keys() >= RUN
    assert step.keys() >= STEP
    assert step["outcomes"].keys() == OUTCOMES
    for name in ("response_ms", "service_ms", "lateness_ms"):
        assert step[name].keys() >= DURATIONS
    assert step["in_flight"].keys() == {"mean", "max", "start", "end"}
    assert step["window"].keys() == {"from", "to"}
    assert found["answer"].keys() >= ANSWER
    assert found["diagnosis"].keys() >= DIAGNOSIS
    assert found["trust"]["checks"][0].keys() >= {"name", "value", "limit", "verdict"}
    assert "Did not break" in ended.stderr


def test_the_result_goes_to_a_file_that_is_named(url: str, tmp_path: Path) -> None:
    """The same text as in the run directory."""
    ended = breakstep("find", url, *FAST, "--json", "r.json", "--out", "run", cwd=tmp_path)
    assert ended.returncode == 0
    text = (tmp_path / "r.json").read_text()
    assert text == (tmp_path / "run" / "result.json").read_text()
    assert json.loads(text)["answer"]["status"] == "above_ceiling"


def test_quiet_prints_the_conclusion_alone(url: str, tmp_path: Path) -> None:
    """No progress, no table, nothing on standard error."""
    ended = breakstep("find", url, *FAST, "--quiet", cwd=tmp_path)
    assert ended.stderr == ""
    assert ended.stdout.startswith("Did not break: 50/s")


def test_quiet_with_json_prints_the_result_alone(url: str, tmp_path: Path) -> None:
    """For programs."""
    ended = breakstep("find", url, *FAST, "--quiet", "--json", "-", cwd=tmp_path)
    assert ended.stderr == ""
    assert found_json(ended)["command"] == "find"


@pytest.mark.parametrize(("env", "coloured"), [({"NO_COLOR": "1"}, False), ({}, True)])
def test_no_color_is_respected_on_a_terminal(
    url: str, tmp_path: Path, env: dict[str, str], *, coloured: bool
) -> None:
    """Neither colour nor weight; without the wish a terminal gets them."""
    shown = on_a_terminal(("find", url, *FAST), tmp_path, {"TERM": "xterm-256color", **env})
    assert "Did not break" in shown
    assert ("\x1b[3" in shown or "\x1b[9" in shown) == coloured


def test_what_is_redirected_has_no_escape_codes(url: str, tmp_path: Path) -> None:
    """A log file stays readable."""
    ended = breakstep("find", url, *FAST, cwd=tmp_path, env={"TERM": "xterm-256color"})
    assert "\x1b" not in ended.stdout + ended.stderr


def test_the_files_of_a_run_agree_with_each_other(url: str, tmp_path: Path) -> None:
    """Seconds add up to the steps, to the last arrival and outcome."""
    flags = ("--steps", "200,300", "--hold", "1500ms", "--warmup", "500ms", "--ramp", "500ms")
    out = tmp_path / "run"
    ended = breakstep("find", url, *flags, "--slo", "errors<1%", "--out", str(out), cwd=tmp_path)
    assert ended.returncode == 0
    rows, result = intervals(out), read_result(out)
    assert {step.offered_per_s for step in result.steps} == {200.0, 300.0}
    for step in result.steps:
        held = [r for r in rows if r["phase"] == "hold" and r["step"] == str(step.index)]
        assert total(held, "arrivals") == step.arrivals
        assert {name: total(held, name) for name in OUTCOMES} == step.outcomes
        assert float(held[0]["from"]) == pytest.approx(step.window_from, abs=0.01)
        assert float(held[-1]["to"]) == pytest.approx(step.window_to, abs=0.01)
    tagged = list(histograms(out))
    assert {tag for tag, _ in tagged} == {"response", "service"}
    assert sum(h.count for tag, h in tagged if tag == "response") == total(rows, "arrivals")
    assert (out / "signals.csv").read_text().startswith("time,source,name,unit,value,kind\n")
    assert "</html>" in (out / "report.html").read_text()


def test_a_result_can_be_read_and_written_again(url: str, tmp_path: Path) -> None:
    """Byte by byte the same."""
    out = tmp_path / "run"
    breakstep("find", url, *FAST, "--out", str(out), cwd=tmp_path)
    assert dumps(read_result(out)) == (out / "result.json").read_text()


def test_a_directory_with_a_run_is_refused_before_any_step(url: str, tmp_path: Path) -> None:
    """Nothing is written over; the message says what to do."""
    (tmp_path / "result.json").write_text("{}")
    ended = breakstep("find", url, *FAST, "--out", str(tmp_path), cwd=tmp_path)
    assert ended.returncode == 1
    assert "holds another run (result.json): choose another --out" in ended.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["result.json"]


def test_secrets_are_in_no_file_and_on_no_screen(url: str, tmp_path: Path) -> None:
    """A password, a header, a query parameter and a body."""
    secret = "hunter2"  # noqa: S105
    with_secrets = url.replace("http://", f"http://me:{secret}@") + f"/?token={secret}"
    flags = ("--header", f"X-Api-Key: {secret}", "--data", secret, "--json", "-", "--out", "run")
    ended = breakstep("find", with_secrets, *FAST, *flags, cwd=tmp_path)
    assert ended.returncode == 0
    assert secret not in ended.stdout + ended.stderr
    for file in (tmp_path / "run").iterdir():
        assert secret not in file.read_text()


def test_the_version_is_that_of_the_package(tmp_path: Path) -> None:
    """For bug reports."""
    ended = breakstep("--version", cwd=tmp_path)
    assert ended.stdout == f"breakstep {api.__version__}\n"


def total(rows: list[dict[str, Any]], column: str) -> int:
    """The sum of a column."""
    return sum(int(row[column]) for row in rows)


def on_a_terminal(arguments: tuple[str, ...], cwd: Path, env: dict[str, str]) -> str:
    """What the program shows when both its outputs are a terminal."""
    reader, writer = pty.openpty()
    clean = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    command = [*BREAKSTEP, *arguments]
    with subprocess.Popen(
        command, cwd=cwd, env={**clean, **env}, stdin=writer, stdout=writer, stderr=writer
    ):
        os.close(writer)
        shown = b""
        try:
            while part := os.read(reader, 65_536):
                shown += part
        except OSError:
            # Linux ends a terminal that nobody holds any more with EIO.
            pass
        finally:
            os.close(reader)
    return shown.decode()
