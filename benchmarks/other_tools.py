"""Load generators that offer a rate, each as a function from a rate to what it saw."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.host import OUT, HostError, pinned

TIMEOUT_S = 5
_VEGETA = "github.com/tsenart/vegeta/v12@v12.13.0"
_PATH = f"{os.environ['PATH']}:{OUT}"
CONNECTIONS = 100
"""Of wrk2, which has to be told."""
WRK2_CALIBRATES_S = 10.0
"""What it offers first and keeps no times of."""
K6_SCRIPT = """\
import http from 'k6/http';
export const options = {{
  discardResponseBodies: true,
  scenarios: {{ one: {{
    executor: 'constant-arrival-rate', rate: {rate}, timeUnit: '1000s', duration: '{seconds}s',
    preAllocatedVUs: {users}, gracefulStop: '{timeout}s',
  }} }},
}};
export default () => http.get('{url}', {{ timeout: '{timeout}s' }});
export const handleSummary = (data) => ({{ stdout: JSON.stringify(data.metrics) }});
"""


@dataclass(frozen=True, slots=True)
class Offer:
    """A rate for a time, from a core."""

    url: str
    rate_per_s: float
    seconds: float
    core: int


@dataclass(frozen=True, slots=True)
class Window:
    """What a tool saw. `p95_ms` is None where nothing was answered."""

    p95_ms: float | None
    errors: float


Tool = Callable[[Offer], Window]


def installed() -> Iterator[tuple[str, Tool]]:
    """Those that are here; the absent ones are named."""
    _install_vegeta()
    others: Mapping[str, Tool] = {"vegeta": _vegeta, "wrk2": _wrk2, "k6": _k6}
    for name, tool in others.items():
        if shutil.which(name, path=_PATH) is None:
            print(f" {name} is not installed: passed over")
        else:
            yield name, tool


def _install_vegeta() -> None:
    """With Go, where there is one. wrk2 and k6 are used where somebody has put them."""
    go = shutil.which("go")
    if go is not None and shutil.which("vegeta", path=_PATH) is None:
        bin_directory = {**os.environ, "GOBIN": str(OUT)}
        subprocess.run([go, "install", _VEGETA], env=bin_directory, check=False)


def _vegeta(offer: Offer) -> Window:
    rate = f"{round(offer.rate_per_s * 1000)}/1000s"
    attack = ["attack", f"-rate={rate}", f"-duration={offer.seconds:g}s", f"-timeout={TIMEOUT_S}s"]
    results = _output(offer, ["vegeta", *attack], f"GET {offer.url}\n".encode())
    report = json.loads(_output(offer, ["vegeta", "report", "-type=json"], results))
    return Window(report["latencies"]["95th"] / 1e6, 1.0 - report["success"])


def _wrk2(offer: Offer) -> Window:
    seconds = offer.seconds + WRK2_CALIBRATES_S
    load = ["-t1", f"-c{CONNECTIONS}", f"-d{seconds:.0f}s", f"-R{offer.rate_per_s:.0f}"]
    command = ["wrk2", *load, "--latency", "--timeout", f"{TIMEOUT_S}s", offer.url]
    return wrk2_window(_output(offer, command).decode())


def wrk2_window(text: str) -> Window:
    """From its report: between p90 and p99 only the spectrum tells."""
    spectrum = re.findall(r"^\s+([\d.]+)\s+(0\.\d+)\s+\d+\s+[\d.]+$", text, re.MULTILINE)
    above = [float(value_ms) for value_ms, share in spectrum if float(share) >= 0.95]
    requests = re.search(r"(\d+) requests in", text)
    if requests is None:
        raise HostError(f"wrk2 printed no result:\n{text}")
    failed = sum(int(count) for count in re.findall(r"(?:connect|read|write|timeout) (\d+)", text))
    failed += sum(int(count) for count in re.findall(r"Non-2xx or 3xx responses: (\d+)", text))
    return Window(min(above, default=None), failed / max(1, int(requests[1])))


def _k6(offer: Offer) -> Window:
    # A user for each request that can wait at once: with fewer it drops what it cannot send.
    script = K6_SCRIPT.format(
        rate=round(offer.rate_per_s * 1000),
        seconds=round(offer.seconds),
        users=round(offer.rate_per_s * TIMEOUT_S),
        timeout=TIMEOUT_S,
        url=offer.url,
    )
    command = ["k6", "run", "--quiet", "--no-usage-report", "-"]
    return k6_window(json.loads(_output(offer, command, script.encode())))


def k6_window(metrics: Mapping[str, Any]) -> Window:
    """From the metrics of its summary; an iteration that it could not start has failed."""
    dropped = metrics.get("dropped_iterations", {"values": {"count": 0}})["values"]["count"]
    sent = metrics["http_reqs"]["values"]["count"]
    failed = metrics["http_req_failed"]["values"]["rate"] * sent + dropped
    p95_ms = metrics["http_req_duration"]["values"]["p(95)"]
    return Window(p95_ms, failed / max(1, sent + dropped))


def _output(offer: Offer, command: list[str], stdin: bytes = b"") -> bytes:
    done = subprocess.run(
        pinned(offer.core, command),
        input=stdin,
        stdout=subprocess.PIPE,
        env={**os.environ, "PATH": _PATH},
        check=False,
    )
    if done.returncode != 0:
        raise HostError(f"{command!r} failed with {done.returncode}")
    return done.stdout
