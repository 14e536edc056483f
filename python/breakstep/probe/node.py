"""`node:HOST:PORT`: Node processes that were started with the preload."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from breakstep.model.errors import ProbeError
from breakstep.model.probe import ProbeSpec
from breakstep.model.signal import labelled
from breakstep.probe.http_get import get
from breakstep.probe.node_processes import NodeProcess, Pool, parse_processes
from breakstep.probe.options import timeout_s
from breakstep.probe.reading import Reading

PRELOAD = Path(__file__).with_name("preload") / "breakstep-node.cjs"
"""What `node --require` is given."""

_BODY_MAX = 1_000_000
_REMEDY = 'start the app as in: node --require "$(breakstep probe node-preload)" app.js'
Processes = Mapping[str, NodeProcess]


@dataclass(slots=True)
class NodeProbe:
    """The preload of one app, asked anew at every read. Growth is told from the second read on."""

    where: str
    timeout_s: float
    before: Processes = field(default_factory=dict)

    def read(self) -> Sequence[Reading]:
        """What all processes together do."""
        now = self.ask()
        before, self.before = self.before, now
        return list(readings(now, before))

    def ask(self) -> Processes:
        """The processes now. Raises ProbeError."""
        body = get(f"http://{self.where}/", timeout_s=self.timeout_s, limit_bytes=_BODY_MAX)
        try:
            return parse_processes(body)
        except ValueError as error:
            raise ProbeError(
                f"what answers at {self.where} is not the preload of breakstep ({error}):"
                " is it another server's port?"
            ) from error

    def close(self) -> None:
        """Nothing is held between two reads."""


def open_probe(spec: ProbeSpec) -> NodeProbe:
    """Asks once. Raises ProbeError."""
    probe = NodeProbe(_checked(spec.where), timeout_s(spec))
    try:
        probe.ask()
    except ProbeError as error:
        raise ProbeError(f"{error} ({_REMEDY})") from error
    return probe


def _checked(where: str) -> str:
    try:
        parts = urlsplit(f"//{where}")
        whole = parts.hostname and parts.port and parts.netloc == where and "@" not in where
    except ValueError:
        whole = False
    if not whole:
        raise ProbeError("write HOST:PORT, as in node:127.0.0.1:7891")
    return where


def readings(now: Processes, before: Processes) -> Iterator[Reading]:
    """Sums over the processes; of what does not add up, the highest."""
    utilisations = _growths(now, before, "loop_active_ms", "loop_ms")
    yield from _highest("loop_utilisation", "share", utilisations)
    for name in ("p50", "p99", "max"):
        yield from _highest(f"loop_delay_{name}", "ms", _each(now, f"delay_{name}_ms"))
    yield from _sum("cpu", "cores", _growths(now, before, "cpu_ms", "at_ms"))
    yield from _highest("gc", "share", _growths(now, before, "gc_ms", "beat_ms"))
    yield from _highest("gc_pause_max", "ms", _each(now, "gc_pause_max_ms"))
    yield from _sum("heap_used", "bytes", _each(now, "heap_bytes"))
    yield from _sum("memory", "bytes", _each(now, "rss_bytes"))
    yield from _sum("in_flight", "count", _each(now, "in_flight"))
    yield from _pools(pool for process in now.values() for pool in process.pools)
    yield Reading("processes", "count", float(len(now)))


def _pools(all_pools: Iterable[Pool]) -> Iterator[Reading]:
    by_label: dict[str, list[Pool]] = {}
    for pool in all_pools:
        by_label.setdefault(pool.label, []).append(pool)
    for label, pools in by_label.items():
        yield from _sum(labelled("pool_size", pool=label), "count", [p.size for p in pools])
        yield from _sum(labelled("pool_busy", pool=label), "count", [p.busy for p in pools])
        yield from _sum(labelled("pool_waiting", pool=label), "count", [p.waiting for p in pools])


def _each(now: Processes, name: str) -> list[float | None]:
    return [process.numbers.get(name) for process in now.values()]


def _growths(now: Processes, before: Processes, part: str, clock: str) -> list[float | None]:
    return [process.growth(before.get(key), part, clock) for key, process in now.items()]


def _sum(name: str, unit: str, values: Sequence[float | None]) -> Iterator[Reading]:
    """Nothing where one is not known: a sum of the others would be too low."""
    known = [value for value in values if value is not None]
    if known and len(known) == len(values):
        yield Reading(name, unit, sum(known))


def _highest(name: str, unit: str, values: Sequence[float | None]) -> Iterator[Reading]:
    known = [value for value in values if value is not None]
    if known:
        yield Reading(name, unit, min(max(known), 1.0) if unit == "share" else max(known))
