"""Many connections: the memory of idle ones, the rate over busy ones."""

from collections.abc import Iterator

from benchmarks import clients, servers
from benchmarks.figure import Figure, median_ratio, row
from benchmarks.host import Cores, allow_descriptors
from benchmarks.load import Load

IDLE = 10_000
IDLE_SECONDS = 10.0
BUSY = 5_000
ROUNDS = 3
SECONDS = 6.0
DESCRIPTORS = IDLE + 1_000


def run(cores: Cores, seconds: float | None) -> Iterator[Figure]:
    """Under 12 KB for an idle connection; over 5 000 busy ones no slower than wrk."""
    allow_descriptors(DESCRIPTORS)
    with servers.c_server(cores) as port:
        yield _idle(cores, port)
    with servers.c_server(cores) as port:
        yield from _busy(cores, port, seconds or SECONDS)


def _idle(cores: Cores, port: int) -> Figure:
    load = Load(port, IDLE_SECONDS, concurrency=IDLE, think_s=2 * IDLE_SECONDS)
    cost = clients.breakstep(cores, load)
    print(f" {IDLE} users who think after one request: {cost.connections} connections,")
    print(f"  {cost.failures} failures, {cost.rss_bytes / 1e6:.1f} MB added")
    held = min(cost.connections, IDLE)
    per_connection = cost.rss_bytes / 1024 / max(1, held)
    return Figure("connections, memory of an idle one", per_connection, "KB", at_most=12.0)


def _busy(cores: Cores, port: int, seconds: float) -> Iterator[Figure]:
    load = Load(port, seconds, concurrency=BUSY)
    ours, theirs, raw = list[float](), list[float](), list[float]()
    for _ in range(ROUNDS):
        cost = clients.breakstep(cores, load)
        wrk = clients.wrk(cores, load)
        loop = clients.raw_c(cores, load)
        ours.append(cost.requests / cost.seconds)
        theirs.append(wrk.requests / wrk.seconds)
        raw.append(loop.requests / loop.seconds)
        print(
            f"  added memory, MB: breakstep {cost.rss_bytes / 1e6:.0f}, "
            f"wrk {wrk.rss_bytes / 1e6:.0f}, raw C {loop.rss_bytes / 1e6:.0f}; "
            f"failures of breakstep: {cost.failures}"
        )
    print(f" {BUSY} busy connections:")
    print(row("breakstep", ours, "req/s"))
    print(row("wrk", theirs, "req/s"))
    print(row("raw C", raw, "req/s"))
    ratio = median_ratio(ours, theirs)
    yield Figure("connections, rate over busy ones against wrk", ratio, "×", at_least=1.0)
