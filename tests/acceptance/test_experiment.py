"""A change after the search, and the search again."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

import breakstep
from acceptance.again import proven
from breakstep import Result
from breakstep.lab.servers.process import child, free_port, wait_for_port

pytestmark = pytest.mark.sockets


def server(port: int, servers: int) -> list[str]:
    """The command of a model server that carries 50 requests a second with each server."""
    where = ("--listen", f"127.0.0.1:{port}", "--servers", str(servers))
    return [sys.executable, "-m", "breakstep", "target", *where, "--service", "constant:20ms"]


@contextmanager
def replaceable(home: Path, servers: int, then: int) -> Iterator[tuple[str, str]]:
    """The URL of a target, and the command that puts one with `then` servers in its place."""
    port, pid_file = free_port(), home / "pid"
    log = home / "target.log"
    with child(server(port, servers), log) as first:
        wait_for_port(port, first, log)
        script = home / "replace.sh"
        script.write_text(
            f"test -f {pid_file} && kill $(cat {pid_file}) || kill {first.pid}\n"
            f"sleep 0.3\n"
            f"{' '.join(server(port, then))} >{home}/second.log 2>&1 &\n"
            f"echo $! >{pid_file}\n"
        )
        try:
            yield f"http://127.0.0.1:{port}/", f"sh {script}"
        finally:
            if pid_file.exists():
                os.kill(int(pid_file.read_text()), signal.SIGTERM)


def doubled(home: Path) -> Result:
    """A search, and another after the servers were doubled."""
    with replaceable(home, servers=2, then=4) as (url, change):
        return breakstep.find(
            url,
            slo="p95<100ms",
            steps=[80, 120, 190, 230],
            hold="1s",
            warmup="300ms",
            arrivals="uniform",
            experiment=change,
            raised=2.0,
        )


def test_twice_the_servers_carry_twice_the_load(tmp_path: Path) -> None:
    """The limit was doubled, the breaking load doubles, and the answer says that it was the one."""

    def holds(result: Result) -> None:
        section = result.sections["experiment"]
        assert result.answer.status == "found"
        assert result.answer.broken_per_s == 120.0
        assert section["moved"] == "as_predicted"
        assert section["ratio"] == pytest.approx(2.0, rel=0.15)
        assert section["run"]["broken_per_s"] == 230.0
        assert len(result.runs) == 1

    rooms = count()

    def measure() -> Result:
        home = tmp_path / str(next(rooms))
        home.mkdir()
        return doubled(home)

    proven(measure, holds)


def test_a_change_that_fails_keeps_what_was_measured(tmp_path: Path) -> None:
    """The error of the command, and the run before it on the disk."""
    with replaceable(tmp_path, servers=2, then=2) as (url, _), pytest.raises(breakstep.TargetError):
        breakstep.find(
            url,
            slo="errors<1%",
            steps=[20],
            hold="300ms",
            warmup="0s",
            experiment="exit 3",
            out=tmp_path / "run",
        )
    assert (tmp_path / "run" / "result.json").exists()
