"""Whether memory stays flat over ten minutes. Run by name: `python -m benchmarks soak`."""

from collections.abc import Iterator
from statistics import median

from benchmarks import clients, servers
from benchmarks.figure import Figure
from benchmarks.host import Cores
from benchmarks.load import Load

RATE_PER_S = 2_000.0
SECONDS = 600.0
SHARE = 10


def run(cores: Cores, seconds: float | None) -> Iterator[Figure]:
    """The growth from the second tenth of the run to the last is at most 3 MB.

    A worker's tallies are pooled and take 1.4 MB each; a stall of the host can make it need one
    more for good. Three bytes lost a request would show in ten minutes all the same.
    """
    with servers.c_server(cores) as port:
        cost = clients.breakstep(cores, Load(port, seconds or SECONDS, rate_per_s=RATE_PER_S))
    tenth = max(1, len(cost.rss_by_interval) // SHARE)
    early = median(cost.rss_by_interval[tenth : 2 * tenth] or cost.rss_by_interval)
    late = median(cost.rss_by_interval[-tenth:])
    print(f" {cost.requests} requests, {cost.failures} failures in {cost.seconds:g} s")
    print(f"  memory added: {early / 1e6:.2f} MB early, {late / 1e6:.2f} MB at the end")
    yield Figure("soak, growth of memory", (late - early) / 1e6, "MB", at_most=3.0)
