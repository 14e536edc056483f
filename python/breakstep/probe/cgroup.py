"""A control group: what it uses, what it may, and how often it was held back. Versions 1 and 2."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from breakstep.engine.host.cgroup import quota
from breakstep.model.errors import ProbeError
from breakstep.model.probe import ProbeSpec
from breakstep.probe.cgroup_places import Group, find_group
from breakstep.probe.host_files import parse_keyed, parse_pressure
from breakstep.probe.reading import Reading

_PRESSURES = ("cpu", "io", "memory")
_NO_LIMIT = 1 << 60
"""Version 1 says so many bytes for none, rounded to pages."""


@dataclass(frozen=True, slots=True)
class Throttling:
    """Of one group since it exists."""

    periods: int = 0
    throttled: int = 0
    throttled_s: float = 0.0


def open_probe(spec: ProbeSpec) -> "Cgroup":
    """Finds the group and looks once. Raises ProbeError."""
    group = Cgroup(spec.where, find_group(spec.where))
    group.read()
    return group


@dataclass(slots=True)
class Cgroup:
    """An open probe. It holds nothing but what it saw last."""

    where: str
    group: Group
    before: Mapping[Path, Throttling] = field(default_factory=dict)
    throttled_s: float = 0.0

    def read(self) -> Sequence[Reading]:
        """Everything now. Raises ProbeError when the group is gone."""
        try:
            return [*self._cpu(), *self._memory(), *self._pressures()]
        except FileNotFoundError as error:
            raise ProbeError(f"the control group {self.where} is gone: did it stop?") from error
        except (OSError, ValueError) as error:
            raise ProbeError(f"the control group {self.where} cannot be read: {error}") from error

    def close(self) -> None:
        """Nothing is held."""

    def _cpu(self) -> Iterator[Reading]:
        if self.group.use is not None:
            yield Reading("cpu", "cores", _used_s(self.group.use), counter=True)
        limits = [limit for level in self.group.cpu if (limit := quota(level)) is not None]
        if not limits:
            return
        yield Reading("quota", "cores", min(limits))
        yield from self._throttling()

    def _throttling(self) -> Iterator[Reading]:
        """A limit further up holds the group back too, and only shows up there."""
        now = {level: _throttling(level) for level in self.group.cpu}
        grown = [_grown(self.before[level], now[level]) for level in now if level in self.before]
        self.before = now
        self.throttled_s += max((one.throttled_s for one in grown), default=0.0)
        yield Reading("throttled", "cores", self.throttled_s, counter=True)
        if grown:
            shares = [min(1.0, one.throttled / one.periods) for one in grown if one.periods]
            yield Reading("throttled_periods", "share", max(shares, default=0.0))

    def _memory(self) -> Iterator[Reading]:
        if not self.group.memory:
            return
        current = _number(self.group.memory[0], ("memory.current", "memory.usage_in_bytes"))
        if current is not None:
            yield Reading("memory", "bytes", current)
        names = ("memory.max", "memory.limit_in_bytes")
        limits = [limit for level in self.group.memory if (limit := _number(level, names))]
        if limits and min(limits) < _NO_LIMIT:
            yield Reading("memory_limit", "bytes", min(limits))

    def _pressures(self) -> Iterator[Reading]:
        if self.group.pressure is None:
            return
        for resource in _PRESSURES:
            # A kernel may keep no pressure, or not of groups.
            with suppress(OSError):
                text = (self.group.pressure / f"{resource}.pressure").read_text(encoding="ascii")
                waited = parse_pressure(text)
                if "some" in waited:
                    yield Reading(f"{resource}_pressure", "share", waited["some"], counter=True)


def _used_s(group: Path) -> float:
    v1 = group / "cpuacct.usage"
    if v1.exists():
        return int(v1.read_text(encoding="ascii")) / 1e9
    counters = parse_keyed((group / "cpu.stat").read_text(encoding="ascii"))
    if "usage_usec" not in counters:
        raise ValueError("cpu.stat holds no usage_usec")
    return counters["usage_usec"] / 1e6


def _throttling(level: Path) -> Throttling:
    """Zeros where nobody counts."""
    try:
        counters = parse_keyed((level / "cpu.stat").read_text(encoding="ascii"))
    except OSError:
        return Throttling()
    return Throttling(
        counters.get("nr_periods", 0),
        counters.get("nr_throttled", 0),
        counters.get("throttled_usec", 0) / 1e6 + counters.get("throttled_time", 0) / 1e9,
    )


def _grown(before: Throttling, now: Throttling) -> Throttling:
    return Throttling(
        max(0, now.periods - before.periods),
        max(0, now.throttled - before.throttled),
        max(0.0, now.throttled_s - before.throttled_s),
    )


def _number(group: Path, files: Iterable[str]) -> int | None:
    """The number in the first of these files that is there; None for `max`, or without any."""
    for file in files:
        with suppress(OSError):
            text = (group / file).read_text(encoding="ascii").strip()
            return None if text == "max" else int(text)
    return None
