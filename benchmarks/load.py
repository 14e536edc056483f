"""Runs the engine in a process of its own and prints what it cost, as one line of JSON.

`python -m benchmarks.load '{"port": 8080, "seconds": 3, "concurrency": 50}'`

The CPU time is the whole process's from the start of the engine to its end, so it holds the
worker, the hand-over of the intervals and their merging in Python.
"""

import json
import resource
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from benchmarks.figure import NS_PER_S
from breakstep._engine import Engine, Segment, Tally, request_bytes

_LEAD_NS = 100_000_000
_DRAIN_NS = 500_000_000
_PAGE_BYTES = resource.getpagesize()


@dataclass(frozen=True, slots=True)
class Load:
    """What to offer: `concurrency` users (closed), or `rate_per_s` (open)."""

    port: int
    seconds: float
    concurrency: int | None = None
    think_s: float = 0.0
    rate_per_s: float = 0.0
    arrivals: Literal["uniform", "poisson"] = "uniform"
    spin: bool = False


@dataclass(frozen=True, slots=True)
class Cost:
    """What was done with which means. `rss_bytes` is what the load added at its largest."""

    requests: int
    failures: int
    seconds: float
    cpu_s: float
    worker_cpu_s: float
    p50_us: float
    p99_us: float
    lag_p50_us: float
    late_p50_us: float
    late_p99_us: float
    connections: int
    rss_bytes: int
    rss_by_interval: list[int]


def offer(load: Load) -> Cost:
    """Offers the load in this process and measures the process."""
    engine = Engine(
        address=f"127.0.0.1:{load.port}",
        request=request_bytes("GET", "/", "localhost", [], b"", keep_alive=True),
        spin=load.spin,
        max_in_flight=max(10_000, load.concurrency or 0),
    )
    rss_before, cpu_before = _resident_bytes(), _cpu_s()
    engine.start()
    start_ns = engine.now_ns() + _LEAD_NS
    engine.append(_segment(load, start_ns))
    tally, rss = _follow(engine, start_ns + round(load.seconds * NS_PER_S))
    cpu_s = _cpu_s() - cpu_before
    return _cost(load, tally, cpu_s, [max(0, value - rss_before) for value in rss])


def _segment(load: Load, start_ns: int) -> Segment:
    return Segment(
        start_ns=start_ns,
        duration_ns=round(load.seconds * NS_PER_S),
        from_per_s=load.rate_per_s,
        to_per_s=load.rate_per_s,
        arrivals=load.arrivals,
        seed=1,
        concurrency=load.concurrency,
        think_ns=round(load.think_s * NS_PER_S),
    )


def _follow(engine: Engine, end_ns: int) -> tuple[Tally, list[int]]:
    tally, rss = Tally(), list[int]()
    while engine.now_ns() < end_ns:
        for interval in engine.drain(wait_ns=_DRAIN_NS):
            tally.merge(interval.tally)
        rss.append(_resident_bytes())
    for interval in engine.stop():
        tally.merge(interval.tally)
    return tally, rss


def _cost(load: Load, tally: Tally, cpu_s: float, rss: list[int]) -> Cost:
    response, lateness = tally.histogram("ok"), tally.histogram("lateness")
    return Cost(
        requests=tally.completed,
        failures=sum(tally.outcomes.values()) - tally.outcomes["ok"],
        seconds=load.seconds,
        cpu_s=cpu_s,
        worker_cpu_s=tally.cpu_ns / NS_PER_S,
        p50_us=response.quantile_ns(0.5) / 1_000,
        p99_us=response.quantile_ns(0.99) / 1_000,
        lag_p50_us=tally.histogram("lag").quantile_ns(0.5) / 1_000,
        late_p50_us=lateness.quantile_ns(0.5) / 1_000,
        late_p99_us=lateness.quantile_ns(0.99) / 1_000,
        connections=tally.connections_opened,
        rss_bytes=max(rss, default=0),
        rss_by_interval=rss,
    )


def _cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE_BYTES


if __name__ == "__main__":
    print(json.dumps(asdict(offer(Load(**json.loads(sys.argv[1]))))))
