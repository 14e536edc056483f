"""How exactly 5 000 starts a second are kept, and what that costs."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
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
WINDOW_BINS = 100


@dataclass(frozen=True, slots=True)
class Dispersion:
    """Variance over mean of the arrivals in bins of 1 ms: 1 for Poisson, 0 for a steady beat.

    `whole` is over the run, and a single stall of either core by the host rules it. `usual` is
    the median over windows of 100 bins, which a few stalls leave alone.
    """

    usual: float
    whole: float

    @classmethod
    def of(cls, at_ns: Sequence[int]) -> "Dispersion":
        """From the instants of arrival; the first and the last 100 bins are left out."""
        bins = Counter((at - at_ns[0]) // BIN_NS for at in at_ns)
        counts = [bins[i] for i in range(WINDOW_BINS, max(bins) - WINDOW_BINS)]
        windows = [
            counts[i : i + WINDOW_BINS] for i in range(0, len(counts) - WINDOW_BINS, WINDOW_BINS)
        ]
        return cls(median(map(_variance_over_mean, windows)), _variance_over_mean(counts))


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
    uniform, raw, poisson = list[Dispersion](), list[Dispersion](), list[Dispersion]()
    for _ in range(ROUNDS):
        load = Load(0, seconds, rate_per_s=RATE_PER_S, spin=spin)
        uniform.append(_at_the_server(cores, load, clients.breakstep))
        raw.append(_at_the_server(cores, load, clients.raw_c))
        random = replace(load, arrivals="poisson")
        poisson.append(_at_the_server(cores, random, clients.breakstep))
    print(f" dispersion of {RATE_PER_S:g}/s at the server, {how}:")
    named = {"breakstep, uniform": uniform, "raw C, uniform": raw, "breakstep, Poisson": poisson}
    for name, values in named.items():
        print(row(name, [value.usual for value in values], ""))
        print(row(f"{name}, with stalls", [value.whole for value in values], ""))
    figure = f"pacing, dispersion, uniform, {how}"
    yield Figure(figure, median(value.usual for value in uniform), "", at_most=0.2)
    figure = f"pacing, dispersion, Poisson, {how}"
    yield Figure(figure, median(value.usual for value in poisson), "", at_least=0.9, at_most=1.1)


def _at_the_server(cores: Cores, load: Load, client: Callable[[Cores, Load], object]) -> Dispersion:
    """The dispersion of the arrivals as the model server logs them."""
    with TemporaryDirectory(prefix="breakstep-bench-") as home:
        log = Path(home, "arrivals")
        with servers.model_server(cores, log) as port:
            client(cores, replace(load, port=port))
        return Dispersion.of(array("Q", log.read_bytes()))


def _variance_over_mean(counts: Sequence[int]) -> float:
    mean = fmean(counts)
    return pvariance(counts, mean) / mean if mean > 0 else 0.0
