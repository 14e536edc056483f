"""A search that is told what the server does by an agent."""

import threading
import time
from pathlib import Path

import pytest

import breakstep
from acceptance.target import target
from servers.agent import Agent, agent

PATIENCE_S = 30.0
pytestmark = pytest.mark.sockets


def search(url: str, spec: str, out: Path | None = None) -> breakstep.Result:
    """Two seconds of load, with the samples of an agent beside it."""
    return breakstep.find(
        url,
        slo="errors<1%",
        steps=[50],
        hold="2s",
        warmup="0s",
        probe=f"{spec},name=there",
        out=out,
    )


def kill_when_read(there: Agent, run: Path) -> None:
    """Kills an agent once something of it was written."""
    give_up = time.monotonic() + PATIENCE_S
    while time.monotonic() < give_up:
        if (run / "signals.csv").exists() and ",there/" in (run / "signals.csv").read_text():
            break
        time.sleep(0.02)
    there.process.kill()


def test_what_an_agent_reads_stands_beside_the_steps(tmp_path: Path) -> None:
    """Under the kind of its own probes, so that a diagnosis takes it as any other."""
    with (
        target("--servers", "4", "--service", "constant:5ms") as url,
        agent(tmp_path, ["host,every=200ms"]) as there,
    ):
        result = search(url, there.spec)
    (step,) = result.sections["signals"]["steps"]
    cpu = [signal for signal in step["signals"] if signal["name"] == "cpu"]
    assert [signal["kind"] for signal in cpu] == ["host"]


def test_an_agent_that_is_killed_leaves_the_run_whole(tmp_path: Path) -> None:
    """Its signals end, which is said; the answer stands."""
    with (
        target("--servers", "4", "--service", "constant:5ms") as url,
        agent(tmp_path, ["host,every=200ms"]) as there,
    ):
        killer = threading.Thread(target=kill_when_read, args=(there, tmp_path / "run"))
        killer.start()
        result = search(url, there.spec, tmp_path / "run")
        killer.join()
    assert result.answer.status == "above_ceiling"
    assert result.answer.sustainable_per_s == 50.0
    assert any("there" in text for text in result.answer.caveats)
