"""What the preload of `--probe node` costs a Node server that has nothing else to do."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks import clients, servers
from benchmarks.figure import Figure, median_ratio, row
from benchmarks.host import Cores, HostError
from benchmarks.load import Load
from breakstep.plan.probes import parse_probe
from breakstep.probe.registry import open_probe
from breakstep.probe.sampler import Sampler

CONNECTIONS = 50
PAIRS = 40
TURNS = 2
SECONDS = 1.0
WARM_UP_S = 1.0
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@dataclass(slots=True)
class _Server:
    """A running server, and what it has done in its turns."""

    running: servers.Node
    requests: int = 0
    cpu_s: float = 0.0

    def serve(self, cores: Cores, seconds: float) -> None:
        """One turn."""
        load = Load(port=self.running.port, seconds=seconds, concurrency=CONNECTIONS)
        before_s = _cpu_s(self.running.pid)
        self.requests += clients.breakstep(cores, load).requests
        self.cpu_s += _cpu_s(self.running.pid) - before_s

    @property
    def cost_us(self) -> float:
        """CPU for a request."""
        return 1e6 * self.cpu_s / self.requests


def run(cores: Cores, seconds: float | None) -> Iterator[Figure]:
    """CPU of the server for a request, without and with it, on one core that is full.

    No two processes of Node are equally fast, so there are several pairs; and no minute of a
    machine is like the next, so the two of a pair take short turns. The preload is sampled
    meanwhile.
    """
    pairs = [_pair(cores, seconds or SECONDS) for _ in range(PAIRS)]
    plain, loaded = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    print(row("without the preload", plain, "µs"))
    print(row("with the preload", loaded, "µs"))
    ratio = median_ratio(loaded, plain)
    yield Figure("node preload, CPU for a request", ratio, "×", at_most=1.03)


def _pair(cores: Cores, seconds: float) -> tuple[float, float]:
    with (
        servers.node(cores, with_preload=False) as plain_server,
        servers.node(cores, with_preload=True) as loaded_server,
    ):
        for server in (plain_server, loaded_server):
            _Server(server).serve(cores, WARM_UP_S)
        plain, loaded = _Server(plain_server), _Server(loaded_server)
        with _sampled(loaded_server.probe_port):
            for _ in range(TURNS):
                plain.serve(cores, seconds)
                loaded.serve(cores, seconds)
        return plain.cost_us, loaded.cost_us


def _cpu_s(pid: int) -> float:
    """Of all threads of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS_PER_S


@contextmanager
def _sampled(port: int) -> Iterator[None]:
    """As a run does it: twice a second."""
    spec = parse_probe(f"node:127.0.0.1:{port}")
    sampler = Sampler(spec, open_probe(spec), deliver=lambda _: None)
    sampler.start()
    try:
        yield
    finally:
        sampler.stop()
    if not sampler.state().samples:
        raise HostError(f"the preload was never read: {sampler.state().says}")
