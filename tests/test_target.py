"""`breakstep target` as a process: its first line, its truth, its faults and its end."""

import http.client
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.sockets

COMMAND = (sys.executable, "-m", "breakstep", "target")


@contextmanager
def _serving(*flags: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    process = subprocess.Popen(
        [*COMMAND, *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with process:
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def _get(line: str, path: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(line.removeprefix("listening on http://"), timeout=30)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def _truth(line: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_get(line, "/truth")[1])
    return found


def _refused(*flags: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *flags], capture_output=True, text=True, timeout=60, check=False
    )


def test_the_first_line_says_where_it_listens() -> None:
    """The first line printed is `listening on http://127.0.0.1:PORT`, and it answers there."""
    with _serving("--service", "constant:1ms", "--body-bytes", "7") as (_, line):
        assert line.startswith("listening on http://127.0.0.1:")
        assert _get(line, "/") == (200, b"xxxxxxx")


def test_the_truth_has_the_parameters_in_machine_units() -> None:
    """GET /truth answers with the parameters, the capacity and what was seen."""
    flags = ("--servers", "8", "--service", "exponential:20ms", "--discipline", "ps", "--queue")
    more = ("64", "--give-up", "5s", "--stall", "200ms/1h", "--errors", "2%", "--seed", "7")
    with _serving(*flags, *more) as (_, line):
        _get(line, "/")
        found = _truth(line)
    seen = found.pop("seen")
    assert (seen["arrivals"], seen["in_system"], seen["max_in_system"]) == (1, 0, 1)
    assert found.pop("lateness_us")["max"] >= 0
    assert found == {
        "listen": line.removeprefix("listening on http://"),
        "servers": 8,
        "service": {"law": "exponential", "mean_ms": 20.0},
        "discipline": "ps",
        "queue": 64,
        "give_up_ms": 5000.0,
        "stall": {"length_ms": 200.0, "every_ms": 3_600_000.0},
        "stall_once": None,
        "error_share": 0.02,
        "fast_errors": False,
        "body_bytes": 100,
        "seed": 7,
        "arrival_log": None,
        "capacity_per_s": 400.0,
    }


def test_fast_errors_is_a_flag_without_a_value() -> None:
    """`--fast-errors` alone turns it on."""
    with _serving("--errors", "100%", "--fast-errors", "--service", "constant:1h") as (_, line):
        assert _get(line, "/")[0] == 500
        assert _truth(line)["fast_errors"] is True


def test_every_fault_is_listed_at_once() -> None:
    """Wrong parameters exit 2, one `error:` line each, and nothing on standard output."""
    ended = _refused("--servers", "0", "--service", "gamma:1ms", "--errors", "2", "--seed", "x")
    lines = ended.stderr.splitlines()
    assert (ended.returncode, ended.stdout, len(lines)) == (2, "", 4)
    assert all(line.startswith("error: --") for line in lines)


def test_an_address_in_use_exits_1_with_the_remedy() -> None:
    """Where it cannot listen it says so, and what to do."""
    with _serving() as (_, line):
        ended = _refused("--listen", line.removeprefix("listening on http://"))
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "choose another --listen" in ended.stderr


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_cleanly(ending: signal.Signals) -> None:
    """SIGINT and SIGTERM exit 0 without a word, in a freeze too."""
    with _serving("--stall-once", "1h@0s") as (process, _):
        process.send_signal(ending)
        out, err = process.communicate(timeout=30)
        assert (process.returncode, out, err) == (0, "", "")


def test_the_arrival_log_is_whole_when_it_has_ended(tmp_path: Path) -> None:
    """Every arrival is in the log, 8 bytes each, once the server was told to stop."""
    log = tmp_path / "arrivals.bin"
    with _serving("--service", "0", "--arrival-log", str(log)) as (process, line):
        for _ in range(10):
            _get(line, "/")
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)
    assert len(log.read_bytes()) == 80


def test_a_socket_file_is_written_as_unix(tmp_path: Path) -> None:
    """`--listen unix:PATH` serves on a socket file, removed at the end."""
    path = tmp_path / "target.sock"
    with _serving("--listen", f"unix:{path}") as (process, line):
        assert line == f"listening on unix:{path}"
        assert path.is_socket()
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)
    assert not path.exists()
