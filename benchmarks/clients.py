"""The generators: ours, wrk and the raw C loop, each pinned to the generator's core."""

import json
import os
import re
import subprocess
import sys
from dataclasses import asdict, dataclass

from benchmarks.host import HERE, Cores, HostError, compiled, find, pinned
from benchmarks.load import Cost, Load


@dataclass(frozen=True, slots=True)
class RawCost:
    """What the raw C loop says of itself."""

    requests: int
    seconds: float
    cpu_s: float
    p50_us: float
    p99_us: float
    lag_p50_us: float
    late_p50_us: float
    rss_bytes: int


@dataclass(frozen=True, slots=True)
class WrkCost:
    """Requests as wrk counts them, means as the kernel does.

    The kernel's `rss_bytes` is never less than this process's own size, which wrk started from.
    """

    requests: int
    seconds: float
    cpu_s: float
    rss_bytes: int


def breakstep(cores: Cores, load: Load) -> Cost:
    """Offers the load with the engine."""
    spec = json.dumps(asdict(load))
    command = pinned(cores.generator, [sys.executable, "-m", "benchmarks.load", spec])
    return Cost(**json.loads(_output(command)))


def raw_c(cores: Cores, load: Load, connections: int = 50) -> RawCost:
    """Offers the load with the raw C loop."""
    command = [compiled("epoll_client"), str(load.port), str(load.concurrency or connections)]
    command.append(str(load.seconds))
    if load.concurrency is None:
        command += [str(load.rate_per_s), *(["spin"] if load.spin else [])]
    return RawCost(**json.loads(_output(pinned(cores.generator, command))))


def wrk(cores: Cores, load: Load) -> WrkCost:
    """Offers the load, which has to be closed, with one thread of wrk."""
    url = f"http://127.0.0.1:{load.port}/"
    options = ["-t1", f"-c{load.concurrency}", f"-d{load.seconds:.0f}s"]
    command = pinned(cores.generator, [find("wrk"), *options, url])
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        text = process.stdout.read() if process.stdout else ""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    requests = re.search(r"(\d+) requests in ([\d.]+)(s|m)", text)
    if requests is None:
        raise HostError(f"wrk printed no result:\n{text}")
    return WrkCost(
        requests=int(requests[1]),
        seconds=float(requests[2]) * (60 if requests[3] == "m" else 1),
        cpu_s=usage.ru_utime + usage.ru_stime,
        rss_bytes=usage.ru_maxrss * 1024,
    )


def _output(command: list[str]) -> str:
    done = subprocess.run(command, cwd=HERE.parent, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise HostError(f"{command!r} failed with {done.returncode}")
    return done.stdout
