"""What the preload says of each process of a Node app."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TypeGuard

from breakstep.probe.json_endpoint import parse

FORMAT = "breakstep.node/1"
PROCESSES_MAX = 512
POOLS_MAX = 8
KIND_MAX = 16
_LARGEST = 1e18
_DELAYS = ("p50", "p99", "max")


@dataclass(frozen=True, slots=True)
class Pool:
    """Connections of one pool. `size` is what it may hold, None without a bound."""

    label: str
    size: float | None
    busy: float | None
    waiting: float | None


@dataclass(frozen=True, slots=True)
class NodeProcess:
    """One process. What it does not know is not in `numbers`.

    Each of its clocks goes with one sum: `loop_ms` with `loop_active_ms`, `beat_ms` with `gc_ms`
    and `at_ms` with `cpu_ms`.
    """

    numbers: Mapping[str, float]
    pools: Sequence[Pool]

    def growth(self, before: "NodeProcess | None", part: str, clock: str) -> float | None:
        """What a sum grew by for each ms of its clock; None if that clock has not gone on."""
        whole, grown = self._since(before, clock), self._since(before, part)
        if whole is None or grown is None or whole <= 0.0 or grown < 0.0:
            return None
        return grown / whole

    def _since(self, before: "NodeProcess | None", name: str) -> float | None:
        if before is None or name not in before.numbers or name not in self.numbers:
            return None
        return self.numbers[name] - before.numbers[name]


def parse_processes(body: bytes) -> Mapping[str, NodeProcess]:
    """The processes by their ids. Raises ValueError for anything the preload would not send."""
    document = parse(body)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f"not {FORMAT}")
    rows = document.get("processes")
    if not isinstance(rows, list) or not 0 < len(rows) <= PROCESSES_MAX:
        raise ValueError("without processes")
    return dict(map(_process, rows))


def _process(row: object) -> tuple[str, NodeProcess]:
    if not isinstance(row, dict) or not isinstance(row.get("id"), str):
        raise ValueError("a process without an id")  # noqa: TRY004  what a server sent is a value
    delays, pools = row.get("delay_ms"), row.get("pools")
    if not isinstance(delays, dict) or not isinstance(pools, list) or len(pools) > POOLS_MAX:
        raise ValueError("a process without delays or pools")
    values = row | {f"delay_{name}_ms": delays.get(name) for name in _DELAYS}
    numbers = {name: value for name, value in values.items() if _known(value)}
    return row["id"], NodeProcess(numbers, tuple(_pools(pools)))


def _pools(rows: Sequence[object]) -> Iterator[Pool]:
    kinds: list[str] = []
    for row in rows:
        kind = row.get("kind") if isinstance(row, dict) else None
        if not isinstance(row, dict) or not isinstance(kind, str) or not _plain(kind):
            raise ValueError("a pool without a kind")
        kinds.append(kind)
        count = kinds.count(kind)
        label = kind if count == 1 else f"{kind}-{count}"
        values = (row.get(name) for name in ("size", "busy", "waiting"))
        yield Pool(label, *(value if _known(value) else None for value in values))


def _plain(kind: str) -> bool:
    return kind.isascii() and kind.isalnum() and len(kind) <= KIND_MAX


def _known(value: object) -> TypeGuard[float]:
    return type(value) is float and isfinite(value) and 0.0 <= value < _LARGEST
