"""How exactly 5 000 starts a second are kept, and what that costs."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean, median, pvariance
from tempfile import TemporaryDirectory

from benchmarks import clients, servers
from benchmarks.figure import Figure, row
from benchmarks.host import Cores
from benchmarks.load import Cost, Load

RATE_PER_S = 5_000.0
ROUNDS = 5
SECONDS = 3.0
BIN_NS = 1_000_000
EDGE_BINS = 100


def run(cores: Cores, seconds: float | None) -> Iterator[Figure]:
    """Lateness and CPU when sleeping, response time when spinning, dispersion at the server."""
    seconds = seconds or SECONDS
    with servers.c_server(cores) as port:
        yield from _sleeping(cores, port, seconds)
        yield from _spinning(cores, port, seconds)
    for spin in (False, True):
        yield from _dispersions(cores, seconds, spin=spin)


def _sleeping(cores: Cores, port: int, seconds: float) -> Iterator[Figure]:
    ours, raw = _in_turn(cores, Load(port=port, seconds=seconds, rate_per_s=RATE_PER_S))
    print(f" {RATE_PER_S:g}/s uniform, sleeping:")
    print(row("breakstep, median lateness", [c.late_p50_us for c in ours], "µs"))
    print(row("raw C, median lateness", [c.late_p50_us for c in raw], "µs"))
    print(row("breakstep, median lag before the send", [c.lag_p50_us for c in ours], "µs"))
    print(row("raw C, median lag before the send", [c.lag_p50_us for c in raw], "µs"))
    print(row("breakstep, p99 lateness", [c.late_p99_us for c in ours], "µs"))
    print(row("breakstep, median response", [c.p50_us for c in ours], "µs"))
    print(row("raw C, median response", [c.p50_us for c in raw], "µs"))
    print(row("breakstep, CPU a request", _cpu_us(ours), "µs"))
    print(
        row("breakstep, CPU, worker alone", [1e6 * c.worker_cpu_s / c.requests for c in ours], "µs")
    )
    print(row("raw C, CPU a request", _cpu_us(raw), "µs"))
    lateness = median(c.late_p50_us for c in ours)
    yield Figure("pacing, median lateness, sleeping", lateness, "µs", at_most=60.0)
    yield Figure("pacing, CPU a request, sleeping", median(_cpu_us(ours)), "µs", at_most=80.0)


def _spinning(cores: Cores, port: int, seconds: float) -> Iterator[Figure]:
    load = Load(port=port, seconds=seconds, rate_per_s=RATE_PER_S, spin=True)
    ours, raw = _in_turn(cores, load)
    print(f" {RATE_PER_S:g}/s uniform, spinning:")
    print(row("breakstep, median response", [c.p50_us for c in ours], "µs"))
    print(row("raw C, median response", [c.p50_us for c in raw], "µs"))
    print(row("breakstep, p99 response", [c.p99_us for c in ours], "µs"))
    print(row("raw C, p99 response", [c.p99_us for c in raw], "µs"))
    print(row("breakstep, median lateness", [c.late_p50_us for c in ours], "µs"))
    print(row("raw C, median lateness", [c.late_p50_us for c in raw], "µs"))
    above = median(a.p50_us - b.p50_us for a, b in zip(ours, raw, strict=True))
    yield Figure("pacing, median response over raw C, spinning", above, "µs", at_most=20.0)


def _in_turn(cores: Cores, load: Load) -> tuple[list[Cost], list[clients.RawCost]]:
    ours, raw = list[Cost](), list[clients.RawCost]()
    for _ in range(ROUNDS):
        ours.append(clients.breakstep(cores, load))
        raw.append(clients.raw_c(cores, load))
    return ours, raw


def _cpu_us(costs: Sequence[Cost] | Sequence[clients.RawCost]) -> list[float]:
    return [1e6 * cost.cpu_s / cost.requests for cost in costs]


def _dispersions(cores: Cores, seconds: float, *, spin: bool) -> Iterator[Figure]:
    how = "spinning" if spin else "sleeping"
    uniform, raw, poisson = list[float](), list[float](), list[float]()
    for _ in range(ROUNDS):
        load = Load(0, seconds, rate_per_s=RATE_PER_S, spin=spin)
        uniform.append(_at_the_server(cores, load, clients.breakstep))
        raw.append(_at_the_server(cores, load, clients.raw_c))
        random = replace(load, arrivals="poisson")
        poisson.append(_at_the_server(cores, random, clients.breakstep))
    print(f" dispersion of {RATE_PER_S:g}/s at the server, {how}:")
    print(row("breakstep, uniform", uniform, ""))
    print(row("raw C, uniform", raw, ""))
    print(row("breakstep, Poisson", poisson, ""))
    yield Figure(f"pacing, dispersion, uniform, {how}", median(uniform), "", at_most=0.2)
    name = f"pacing, dispersion, Poisson, {how}"
    yield Figure(name, median(poisson), "", at_least=0.9, at_most=1.1)


def _at_the_server(cores: Cores, load: Load, client: Callable[[Cores, Load], object]) -> float:
    """The dispersion of the arrivals as the model server logs them."""
    with TemporaryDirectory(prefix="breakstep-bench-") as home:
        log = Path(home, "arrivals")
        with servers.model_server(cores, log) as port:
            client(cores, replace(load, port=port))
        return dispersion(array("Q", log.read_bytes()))


def dispersion(at_ns: Sequence[int]) -> float:
    """Variance over mean of the counts in bins of 1 ms: 1 for Poisson, 0 for a steady beat.

    The first and last 100 bins are left out.
    """
    first = at_ns[0]
    bins = Counter((at - first) // BIN_NS for at in at_ns)
    counts = [bins[i] for i in range(EDGE_BINS, max(bins) - EDGE_BINS)]
    return pvariance(counts) / fmean(counts)
