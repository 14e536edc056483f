"""What an agent takes from the machine whose service it watches."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from breakstep.lab.servers.process import child, free_port, wait_for_port
from breakstep.plan.probes import parse_probe
from breakstep.probe.desk import ProbeDesk
from servers.agent import Agent, agent

WINDOW_S = 4.0
ATTEMPTS = 3
CORE_SHARE = 0.01
PRIVATE_KB = 16 * 1024
"""Beyond a bare interpreter, which has 3 MB. The modules of TLS, JSON and the flags are most."""


@pytest.fixture(scope="module")
def watching(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    """An agent that samples a machine, a process and a listener once a second."""
    home = tmp_path_factory.mktemp("footprint")
    port = free_port()
    target = ["-m", "breakstep", "target", "--listen", f"127.0.0.1:{port}"]
    with child([sys.executable, *target], home / "target.log") as process:
        wait_for_port(port, process, home / "target.log")
        probes = ["host", f"process:{process.pid}", f"listen:{port}"]
        with agent(home, [f"{probe},every=1s" for probe in probes]) as started:
            yield started


def cpu_s(process_id: int) -> float:
    """CPU that all threads of a process have had, to the nanosecond."""
    files = Path(f"/proc/{process_id}/task").glob("*/schedstat")
    return sum(int(file.read_text().split()[0]) for file in files) / 1e9


def private_kb(process_id: int | str) -> int:
    """Memory that goes when the process goes."""
    lines = Path(f"/proc/{process_id}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private"))


def test_it_takes_under_one_hundredth_of_a_core(watching: Agent) -> None:
    """With a client that listens, in the quietest of a few windows."""
    desk = ProbeDesk.open([parse_probe(watching.spec)])
    try:
        desk.start()
        shares = []
        for _ in range(ATTEMPTS):
            before_s = cpu_s(watching.process.pid)
            time.sleep(WINDOW_S)
            shares.append((cpu_s(watching.process.pid) - before_s) / WINDOW_S)
            if shares[-1] < CORE_SHARE:
                break
        assert min(shares) < CORE_SHARE, shares
        assert len({sample.signal.kind for sample in desk.take()}) == 3
    finally:
        desk.stop()


def test_it_takes_a_few_megabytes_beyond_the_interpreter(watching: Agent) -> None:
    """No array library, and none of what only a search needs."""
    program = "import sys; print(flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as bare:
        assert bare.stdout is not None
        bare.stdout.readline()
        own_kb = private_kb(watching.process.pid) - private_kb(bare.pid)
        bare.communicate()
    assert own_kb < PRIVATE_KB
    assert "numpy" not in Path(f"/proc/{watching.process.pid}/maps").read_text()
