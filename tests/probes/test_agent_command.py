"""`breakstep agent` as people start and stop it."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from breakstep.plan.probes import parse_probe
from breakstep.probe.desk import ProbeDesk
from servers.agent import agent

_KNOWN = """#!/bin/sh
while sleep 0.05; do
    echo "{\\"known\\": $(env | grep -c '^BREAKSTEP_AGENT')}"
done
"""
_COMMAND = [sys.executable, "-m", "breakstep", "agent", "--listen", "127.0.0.1:0"]


def test_it_says_where_it_listens_makes_a_token_and_ends_when_asked() -> None:
    """One line on standard output, the token on standard error, exit code 0 after Ctrl-C."""
    environment = {k: v for k, v in os.environ.items() if k != "BREAKSTEP_AGENT_TOKEN"}
    with subprocess.Popen(
        [*_COMMAND, "--probe", "host,every=50ms"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        match = re.fullmatch(r"agent listening on (127\.0\.0\.1:\d+)\n", process.stdout.readline())
        token = re.fullmatch(r"token: (\S{16,})\n", process.stderr.readline())
        assert match is not None
        assert token is not None
        desk = ProbeDesk.open([parse_probe(f"agent:{match[1]},token={token[1]}")])
        try:
            desk.start()
            give_up = time.monotonic() + 10.0
            while not desk.take() and time.monotonic() < give_up:
                time.sleep(0.02)
            assert desk.states()[0].samples
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=10.0)
        finally:
            desk.stop()
    assert (process.returncode, out, err) == (0, "", "")


def test_a_token_that_was_given_is_not_shown(tmp_path: Path) -> None:
    """Logs keep what is written to standard error."""
    file = tmp_path / "token"
    file.write_text("a-token-that-was-given")
    with subprocess.Popen(
        [*_COMMAND, "--probe", "host", "--token-file", str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("agent listening")
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=10.0)
    assert (process.returncode, out, err) == (0, "", "")


def test_what_it_was_told_is_not_in_its_command_line_nor_with_its_programs(tmp_path: Path) -> None:
    """A password in a probe is not for everyone, and a program need not know the token."""
    program = tmp_path / "program.sh"
    program.write_text(_KNOWN)
    program.chmod(0o755)
    secret = f"command:{program} --password hush,every=50ms"
    with agent(tmp_path, [secret]) as started:
        shown = Path(f"/proc/{started.process.pid}/cmdline").read_bytes()
        desk = ProbeDesk.open([parse_probe(started.spec)])
        try:
            desk.start()
            until_some = time.monotonic() + 10.0
            samples = desk.take()
            while not samples and time.monotonic() < until_some:
                time.sleep(0.02)
                samples = desk.take()
        finally:
            desk.stop()
    assert b"hush" not in shown
    assert {(sample.signal.name, sample.value) for sample in samples} == {("known", 0.0)}
    assert all("hush" not in sample.signal.source for sample in samples)


def test_faults_are_listed_with_exit_code_2() -> None:
    """Without a probe, a token and TLS, where others reach it."""
    ended = subprocess.run(
        [*_COMMAND[:-1], "0.0.0.0:0"], capture_output=True, text=True, timeout=30.0, check=False
    )
    assert ended.returncode == 2
    assert ended.stderr.count("error: ") == 3


def test_an_address_in_use_is_an_error_with_its_remedy() -> None:
    """Exit code 1: the plan was right."""
    with subprocess.Popen(
        [*_COMMAND, "--probe", "host"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as first:
        assert first.stdout is not None
        address = first.stdout.readline().split()[-1]
        second = subprocess.run(
            [*_COMMAND[:-1], address, "--probe", "host"],
            capture_output=True,
            text=True,
            timeout=30.0,
            check=False,
        )
        first.terminate()
        first.communicate(timeout=10.0)
    assert second.returncode == 1
    assert f"cannot listen on {address}" in second.stderr
    assert "--listen" in second.stderr
