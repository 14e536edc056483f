"""CPU time for a request with 50 connections that never rest."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from benchmarks import clients, servers
from benchmarks.figure import Figure, median_ratio, row
from benchmarks.host import Cores
from benchmarks.load import Load

CONNECTIONS = 50
ROUNDS = 5
SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class _Costs:
    """CPU µs a request, one entry a round."""

    breakstep: list[float] = field(default_factory=list)
    worker: list[float] = field(default_factory=list)
    wrk: list[float] = field(default_factory=list)
    raw_c: list[float] = field(default_factory=list)


def run(cores: Cores, seconds: float | None) -> Iterator[Figure]:
    """Ours against wrk (≤ 1.0) and the raw loop (≤ 1.2), on the C server and on nginx."""
    named: dict[str, servers.Server] = {"C server": servers.c_server, "nginx": servers.nginx}
    for name, server in named.items():
        with server(cores) as port:
            costs = _measure(cores, port, seconds or SECONDS)
        print(f" {name}, {CONNECTIONS} connections, CPU for a request:")
        print(row("breakstep", costs.breakstep, "µs"))
        print(row("breakstep, its worker alone", costs.worker, "µs"))
        print(row("wrk", costs.wrk, "µs"))
        print(row("raw C", costs.raw_c, "µs"))
        ratio_wrk = median_ratio(costs.breakstep, costs.wrk)
        ratio_raw = median_ratio(costs.breakstep, costs.raw_c)
        yield Figure(f"saturation, {name}, against wrk", ratio_wrk, "×", at_most=1.0)
        yield Figure(f"saturation, {name}, against raw C", ratio_raw, "×", at_most=1.2)


def _measure(cores: Cores, port: int, seconds: float) -> _Costs:
    load = Load(port=port, seconds=seconds, concurrency=CONNECTIONS)
    costs = _Costs()
    for _ in range(ROUNDS):
        ours = clients.breakstep(cores, load)
        costs.breakstep.append(1e6 * ours.cpu_s / ours.requests)
        costs.worker.append(1e6 * ours.worker_cpu_s / ours.requests)
        wrk = clients.wrk(cores, load)
        costs.wrk.append(1e6 * wrk.cpu_s / wrk.requests)
        raw = clients.raw_c(cores, load)
        costs.raw_c.append(1e6 * raw.cpu_s / raw.requests)
    return costs
