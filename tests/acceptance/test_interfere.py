"""`breakstep interfere` and `doctor --cost` against the model server, whose queue is known."""

from pathlib import Path

import pytest

from acceptance.command import breakstep, found_json
from acceptance.target import target
from breakstep.lab.servers.process import free_port

pytestmark = pytest.mark.sockets

ONE_SERVER = ("--listen", "127.0.0.1:0", "--servers", "1", "--service", "constant:5ms")


def test_a_victim_waits_behind_a_bully_at_one_server(tmp_path: Path) -> None:
    """4 users who are never idle in front of it: p99 of about 25 ms in place of 5."""
    with target(*ONE_SERVER) as url:
        ended = breakstep(
            *("interfere", f"{url}/", f"{url}/", "--victim-rate", "20", "--bully-connections", "4"),
            *("--repeat", "2", "--hold", "2s", "--warmup", "1s", "--out", "run"),
            *("--probe", "host", "--json", "-"),
            cwd=tmp_path,
        )
    assert ended.returncode in (0, 3), ended.stderr
    found = found_json(ended)
    section = found["interfere"]
    assert len(section["repeats"]) == 2
    assert section["victim"]["under_load"]["response_ms"]["p50"] > 15.0
    assert section["bully"]["ok_per_s"] > 100.0
    if found["trust"]["verdict"] != "invalid":
        assert section["p99_ratio"] == sorted(section["p99_ratio"])
        # The same arrivals in both windows, all of them answered but for those at the edges.
        assert section["throughput_ratio"] == pytest.approx([1.0] * 3, abs=0.15)
    else:
        assert section["throughput_ratio"] is None
    written = {path.name for path in (tmp_path / "run").iterdir()}
    assert {"result.json", "report.html", "intervals.csv", "signals.csv"} <= written


def test_a_bully_that_does_not_answer_is_named(tmp_path: Path) -> None:
    """Exit 1 with what, where and the remedy; nothing is measured."""
    nobody = f"http://127.0.0.1:{free_port()}/"
    with target(*ONE_SERVER) as url:
        ended = breakstep("interfere", f"{url}/", nobody, "--repeat", "1", cwd=tmp_path)
    assert ended.returncode == 1
    assert "error: " in ended.stderr
    assert nobody.split("/")[2] in ended.stderr


def test_what_a_request_costs_is_told_for_the_process_that_was_named(tmp_path: Path) -> None:
    """The model server takes CPU for each, and the generator's is not counted in."""
    with target(*ONE_SERVER) as url:
        port = url.rpartition(":")[2]
        ended = breakstep(
            *("doctor", "--cost", f"{url}/", "--probe", f"process:listen:{port},name=server"),
            *("--seconds", "3", "--json", "-"),
            cwd=tmp_path,
        )
    assert ended.returncode == 0, ended.stderr
    cost = found_json(ended)["doctor"]["cost"]
    assert cost["failed"] == 0
    assert cost["requests"] > 100
    (source,) = cost["sources"]
    assert source["source"] == "server"
    assert 0.0 < source["cpu_ms"] < 5.0
    assert source["batches"] == 10


def test_cost_wants_a_probe_that_counts_cpu(tmp_path: Path) -> None:
    """Both faults at once, before anything is asked for."""
    ended = breakstep(
        *("doctor", "--cost", "http://127.0.0.1:1/", "--probe", "host", "--noise", "2s"),
        cwd=tmp_path,
    )
    assert ended.returncode == 2
    assert "--noise and --cost" in ended.stderr
    assert "only process and cgroup count" in ended.stderr
