"""What sampling the server beside the generator does to the generator's own punctuality."""

from collections.abc import Iterator, Sequence

import breakstep
from benchmarks import servers
from benchmarks.figure import Figure, median_ratio, row
from benchmarks.host import Cores

RATE_PER_S = 1_000.0
ROUNDS = 9
SECONDS = 3.0


def run(cores: Cores, seconds: float | None) -> Iterator[Figure]:
    """Median lateness of sends without and with probes, turn and turn about."""
    plain: list[float] = []
    probed: list[float] = []
    with servers.nginx(cores) as port:
        probes = ["host", "process:nginx", f"listen:{port}"]
        for turn in range(ROUNDS):
            for measured in (plain, probed) if turn % 2 == 0 else (probed, plain):
                asked = probes if measured is probed else []
                measured.append(_lateness_us(port, asked, cores, seconds or SECONDS))
    print(row("lateness p50, no probes", plain, "µs"))
    print(row("lateness p50, three probes", probed, "µs"))
    ratio = median_ratio(probed, plain)
    yield Figure("lateness with probes to without", ratio, "×", at_most=1.10)


def _lateness_us(port: int, probes: Sequence[str], cores: Cores, seconds: float) -> float:
    result = breakstep.find(
        f"http://127.0.0.1:{port}/",
        slo="errors<1%",
        steps=[RATE_PER_S],
        hold=f"{seconds:g}s",
        warmup="500ms",
        probe=probes,
        pin=[cores.generator],
    )
    lateness_ms = result.steps[-1].lateness_ms.p50
    return 1e3 * (lateness_ms or 0.0)
