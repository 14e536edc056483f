"""What a Go program says of itself, and what that makes of its collector."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite

from breakstep.probe.json_endpoint import parse

ASSIST = "/cpu/classes/gc/mark/assist:cpu-seconds"
MARK = "/cpu/classes/gc/mark/dedicated:cpu-seconds"
PAUSE = "/cpu/classes/gc/pause:cpu-seconds"
CYCLES = "/gc/cycles/total:gc-cycles"
GOAL = "/gc/heap/goal:bytes"
HEAP = "/memory/classes/heap/objects:bytes"
GOMAXPROCS = "/sched/gomaxprocs:threads"
GOROUTINES = "/sched/goroutines:goroutines"
EARLIEST = 0.7
"""No cycle begins before the heap has that share of its goal."""
_LARGEST = 1e18


@dataclass(frozen=True, slots=True)
class GoVars:
    """One look. Without runtime metrics the last three are None.

    `collecting_s` are CPU seconds since the start: of requests made to assist, of marking.
    """

    heap_bytes: float
    heap_goal_bytes: float
    cycles: float
    paused_s: float
    collecting_s: tuple[float, float] | None
    gomaxprocs: float | None
    goroutines: float | None


@dataclass(slots=True)
class Collecting:
    """Cores that the collector takes. Go adds a cycle's CPU to its sums only when the cycle ends.

        a cycle has ended since    its CPU, over the time since the last answer
        none has, and none runs    nothing was taken since the last answer
        one may be running         no answer yet; the next one covers this time too

    Marking by cores that had nothing else to do is in none of these sums.
    """

    since: tuple[float, GoVars] | None = None

    def step(self, now: GoVars, at_s: float) -> tuple[float, float] | None:
        """Of assists and of marking, since the last answer; None if it cannot be told yet."""
        if now.collecting_s is None:
            return None
        if self.since is None or at_s <= self.since[0] or _restarted(self.since[1], now):
            self.since = at_s, now
            return None
        before_s, before = self.since
        running = now.heap_bytes >= EARLIEST * now.heap_goal_bytes
        if before.collecting_s is None or (now.cycles == before.cycles and running):
            return None
        self.since = at_s, now
        assist, mark = (
            (after - earlier) / (at_s - before_s)
            for after, earlier in zip(now.collecting_s, before.collecting_s, strict=True)
        )
        return assist, mark


def _restarted(before: GoVars, now: GoVars) -> bool:
    sums = zip(now.collecting_s or (), before.collecting_s or (), strict=False)
    return now.cycles < before.cycles or any(after < earlier for after, earlier in sums)


def parse_vars(body: bytes) -> GoVars:
    """From expvar's variables, from the runtime metrics among them, or from those alone.

    Raises ValueError when they are not those of a Go program.
    """
    document = parse(body)
    memory, metrics = _inside(document, "memstats"), _inside(document, "runtime")
    if not memory and not metrics and isinstance(document, dict):
        metrics = document
    assist, mark = _number(metrics, ASSIST), _number(metrics, MARK)
    return GoVars(
        heap_bytes=_needed(_number(metrics, HEAP), memory, "HeapAlloc"),
        heap_goal_bytes=_needed(_number(metrics, GOAL), memory, "NextGC"),
        cycles=_needed(_number(metrics, CYCLES), memory, "NumGC"),
        paused_s=_needed(_paused_s(metrics), memory, "PauseTotalNs", 1e-9),
        collecting_s=None if assist is None or mark is None else (assist, mark),
        gomaxprocs=_number(metrics, GOMAXPROCS),
        goroutines=_number(metrics, GOROUTINES),
    )


def _paused_s(metrics: Mapping[str, object]) -> float | None:
    """Go counts a pause on every core that stood still."""
    paused, cores = _number(metrics, PAUSE), _number(metrics, GOMAXPROCS)
    return None if paused is None or not cores else paused / cores


def _inside(document: object, name: str) -> Mapping[str, object]:
    inside = document.get(name) if isinstance(document, dict) else None
    return inside if isinstance(inside, dict) else {}


def _needed(
    metric: float | None, memory: Mapping[str, object], name: str, unit: float = 1.0
) -> float:
    """From the metrics, or else from expvar's own."""
    if metric is not None:
        return metric
    number = _number(memory, name)
    if number is None:
        raise ValueError(f"it has no {name} in memstats")
    return number * unit


def _number(values: Mapping[str, object], name: str) -> float | None:
    value = values.get(name)
    if type(value) is not float or not isfinite(value) or not 0.0 <= value < _LARGEST:
        return None
    return value
