"""From the flags of `plan`, and the demand a run was stored with, to its terms.

A flag counts before the stored demand, that before what is assumed. Every fault is listed at once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from breakstep.model.capacity import DatabaseTerms, PeakDemand, PlanTerms, ScalingTerms
from breakstep.model.errors import PlanError
from breakstep.model.units import parse_duration, parse_rate

COUNT_MOST = 1_000_000
FACTOR_MOST, GROWTH_MOST = 1000.0, 100.0
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class CapacityFlags:
    """The flags as they were written. `counted_burst` is the factor that a log showed."""

    peak: str | None = None
    growth: str | None = None
    burst: str | None = None
    counted_burst: float | None = None
    failures: int | None = None
    imbalance: str | None = None
    headroom: str | None = None
    nodes: int | None = None
    measured_on: int = 1
    linear: bool = False
    pool: int | None = None
    processes: int | None = None
    max_connections: int | None = None
    reserved: int | None = None
    extra_nodes: int = 1
    held: str | None = None
    ramp_rate: str | None = None
    react: str | None = None


@dataclass(slots=True)
class _Reader:
    """Reads flags, or stored words where a flag was not given; collects the faults."""

    stored: Mapping[str, Any]
    faults: list[str] = field(default_factory=list)
    given: set[str] = field(default_factory=set)

    def read(self, name: str, text: object, parse: Callable[[str], Value], default: Value) -> Value:
        """The value of a flag or of the stored word of this name."""
        flag = f"--{name.replace('_', '-')}"
        if text is None:
            text, flag = self.stored.get(name), f"the run's plan: {name}"
        if text is None:
            return default
        self.given.add(name)
        try:
            return parse(str(text))
        except ValueError as error:
            self.faults.append(f"{flag}: {error}")
            return default


def terms_from_flags(flags: CapacityFlags, stored: Mapping[str, Any] | None = None) -> PlanTerms:
    """The terms. Raises PlanError with every fault."""
    reader = _Reader(stored or {})
    demand = _demand(flags, reader)
    headroom = reader.read("headroom", flags.headroom, _headroom, None)
    ramp = reader.read("ramp_rate", flags.ramp_rate, parse_rate, None)
    react_ns = reader.read("react", flags.react, _positive_duration, None)
    held_ns = reader.read("held", flags.held, _positive_duration, None)
    if (ramp is None) != (react_ns is None) and not reader.faults:
        reader.faults.append("--ramp-rate and --react go together: how fast, and for how long")
    reader.faults += _counts(flags)
    if flags.nodes is not None and flags.nodes <= demand.failures:
        reader.faults.append(
            f"--nodes: {flags.nodes} with {demand.failures} of them down leave none: more nodes, "
            "or fewer --failures"
        )
    if reader.faults:
        raise PlanError(reader.faults)
    return PlanTerms(
        demand,
        headroom,
        flags.nodes,
        flags.measured_on,
        flags.linear,
        DatabaseTerms(
            flags.pool,
            flags.processes,
            flags.max_connections,
            flags.reserved,
            flags.extra_nodes,
            held_ns,
        ),
        ScalingTerms(ramp, react_ns),
    )


def _demand(flags: CapacityFlags, reader: _Reader) -> PeakDemand:
    peak = reader.read("peak", flags.peak, parse_rate, 0.0)
    if not peak and not reader.faults:
        reader.faults.append("--peak: say how many requests a second have to be carried")
    growth = reader.read("growth", flags.growth, _growth, 0.0)
    burst = reader.read("burst", flags.burst, _factor, flags.counted_burst or 1.0)
    failures = reader.read("failures", flags.failures, _count, 1)
    imbalance = reader.read("imbalance", flags.imbalance, _factor, 1.0)
    counted = flags.counted_burst is not None and "burst" not in reader.given
    if flags.counted_burst is not None and flags.burst is not None:
        reader.faults.append("--burst and --counts: the counts tell the burst; leave one out")
    return PeakDemand(
        peak,
        growth,
        burst,
        failures,
        imbalance,
        frozenset(reader.given),
        frozenset({"burst"} if counted else ()),
    )


def _counts(flags: CapacityFlags) -> list[str]:
    """The faults of the flags that are whole numbers."""
    from_one: Sequence[tuple[str, int | None]] = (
        ("--nodes", flags.nodes),
        ("--measured-on", flags.measured_on),
        ("--pool", flags.pool),
        ("--processes", flags.processes),
        ("--max-connections", flags.max_connections),
    )
    from_zero = (("--reserved", flags.reserved), ("--extra-nodes", flags.extra_nodes))
    faults = [
        f"{name}: {value} is not between {least} and {COUNT_MOST}"
        for least, names in ((1, from_one), (0, from_zero))
        for name, value in names
        if value is not None and not least <= value <= COUNT_MOST
    ]
    if flags.max_connections is not None and flags.max_connections <= (flags.reserved or 0):
        faults.append("--reserved: it leaves none of --max-connections")
    return faults


def _number(text: str, least: float, most: float, example: str) -> float:
    words = text.strip()
    try:
        value = float(words.removesuffix("%")) / (100.0 if words.endswith("%") else 1.0)
    except ValueError:
        value = -1.0
    if not least <= value <= most:
        msg = f"{text!r} is not a number from {least:g} to {most:g}: write {example}"
        raise ValueError(msg)
    return value


def _growth(text: str) -> float:
    return _number(text, 0.0, GROWTH_MOST, "30% or 0.3")


def _factor(text: str) -> float:
    return _number(text, 1.0, FACTOR_MOST, "a factor such as 1.2")


def _headroom(text: str) -> float:
    value = _number(text, 0.0, 1.0, "the share to count on, such as 0.7")
    if value == 0.0:
        msg = f"{text!r} counts on nothing: write the share to count on, such as 0.7"
        raise ValueError(msg)
    return value


def _count(text: str) -> int:
    return round(_number(text, 0.0, COUNT_MOST, "a whole number"))


def _positive_duration(text: str) -> int:
    duration_ns = parse_duration(text)
    if duration_ns == 0:
        msg = f"{text!r} is no time at all: write one such as 90s"
        raise ValueError(msg)
    return duration_ns
