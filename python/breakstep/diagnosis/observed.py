"""What a diagnosis looks at: the steps of a run, each with the signals of its own window.

Everything comes from `result.json` and `signals.csv`, and is rounded as they are, so that a stored
run is explained in the same words as it was when it ended.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from breakstep.analysis.signals import Series, Summary, summaries
from breakstep.diagnosis.track import Point, Track
from breakstep.model.probe import ProbeState
from breakstep.model.record import Answer, Result, StepRecord, Trust
from breakstep.model.signal import Signal, base_name

Stat = Literal["mean", "max", "min"]

WINDOW_MIN_S = 2.0
READS_MIN = 4
"""A failing step may be cut short after a second, in which a probe was read once or twice. A signal
that was read less often in a shorter window is seen from the warm-up on, which has the same load,
but in which a pool was still filling up."""
UNREAD = frozenset({"prometheus", "json", "command"})
"""Kinds of probe whose signals have names of their own, which no rule knows."""
VALUE_MAX = 1e15
"""Beyond it a probe is lying; sums of such numbers would not even be finite."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A step, and what each signal was in its window, by source and name."""

    step: StepRecord
    signals: Mapping[tuple[str, str], Summary]


@dataclass(frozen=True, slots=True)
class Observed:
    """Everything a hypothesis may look at. `cores` are those of the generator's machine.

    `local` says that the target runs on that machine.
    """

    seen: tuple[Seen, ...]
    answer: Answer
    trust: Trust
    signals: tuple[Signal, ...] = ()
    """Every signal that was sampled in the window of a valid step, in order of name."""
    unread: tuple[str, ...] = ()
    """The probes whose signals no rule knows."""
    plan: Mapping[str, Any] = field(default_factory=dict)
    states: tuple[ProbeState, ...] = ()
    cores: int | None = None
    local: bool = False

    @property
    def valid(self) -> tuple[Seen, ...]:
        """The steps that were measured well enough to be believed."""
        return tuple(seen for seen in self.seen if seen.step.verdict.name != "invalid")

    @property
    def break_per_s(self) -> float | None:
        """The load that broke; where the answer has none, the lowest that failed."""
        if self.answer.broken_per_s is not None:
            return self.answer.broken_per_s
        failed = (s.step.offered_per_s for s in self.valid if s.step.verdict.name == "fail")
        return min(failed, default=None)

    @property
    def broken(self) -> StepRecord | None:
        """The step of that load: the failed one, the last of several."""
        at = [s.step for s in self.valid if s.step.offered_per_s == self.break_per_s]
        failed = [step for step in at if step.verdict.name == "fail"]
        return failed[-1] if failed else (at[-1] if at else None)

    @property
    def carries_per_s(self) -> tuple[float, float]:
        """Between these lies the most that the service completes, as far as was seen."""
        steps = [seen.step for seen in self.valid]
        held = self.answer.capacity_per_s or self.answer.sustainable_per_s
        most = max((step.completed_per_s for step in steps), default=0.0)
        low = held if held is not None else most
        return min(low, most) if most else low, max(low, most, self.break_per_s or 0.0)

    def sources(self, kind: str) -> tuple[str, ...]:
        """The labels of the probes of a kind that delivered."""
        return tuple(dict.fromkeys(s.source for s in self.signals if s.kind == kind))

    def tracks(self, kind: str, name: str, stat: Stat = "mean") -> tuple[Track, ...]:
        """The signals of this base name, whatever their labels, of all probes of a kind."""
        wanted = (s for s in self.signals if s.kind == kind and base_name(s.name) == name)
        return tuple(self._track(signal, stat) for signal in wanted)

    def track(self, source: str, name: str, stat: Stat = "mean") -> Track | None:
        """One signal of one probe, by its full name."""
        wanted = (s for s in self.signals if s.source == source and s.name == name)
        return next((self._track(signal, stat) for signal in wanted), None)

    def of_steps(self, name: str, unit: str, values: Mapping[int, float]) -> Track:
        """What the client saw as a track: values by position of the step among the valid."""
        rows = [(self.valid[k].step, value, 1) for k, value in values.items()]
        return Track("client", "client", name, unit, _pooled(rows, "mean"))

    def _track(self, signal: Signal, stat: Stat) -> Track:
        key = (signal.source, signal.name)
        found = [(seen.step, seen.signals[key]) for seen in self.valid if key in seen.signals]
        rows = [(step, float(getattr(summary, stat)), summary.count) for step, summary in found]
        points = _pooled(rows, stat)
        return Track(signal.source, signal.kind, signal.name, signal.unit, points)


def observed_of(
    result: Result, series: Sequence[Series], states: Sequence[ProbeState] = ()
) -> Observed:
    """A run as a diagnosis sees it. Values that are no numbers are passed over."""
    read = [one for one in series if one.signal.kind not in UNREAD]
    believed = [_believed(alike) for alike in _by_name(read)]
    warmup_s = _number(result.plan.get("warmup_s"))
    seen = tuple(_seen(step, believed, warmup_s) for step in result.steps)
    return Observed(
        seen=seen,
        answer=result.answer,
        trust=result.trust,
        signals=_signals(seen),
        unread=tuple(sorted({s.signal.source for s in series if s.signal.kind in UNREAD})),
        plan=result.plan,
        states=tuple(states),
        cores=_cores(result.environment.get("cores")),
        local=_is_local(result.plan.get("target")),
    )


def _seen(step: StepRecord, series: Sequence[Series], warmup_s: float) -> Seen:
    missing_s = WINDOW_MIN_S - (step.window_to - step.window_from)
    earlier_s = min(max(0.0, missing_s), warmup_s)
    found = _by_key(summaries(series, step.window_from - earlier_s, step.window_to))
    within = _by_key(summaries(series, step.window_from, step.window_to))
    often = {key: summary for key, summary in within.items() if summary.count >= READS_MIN}
    return Seen(step, found | often)


def _by_key(found: Sequence[Summary]) -> dict[tuple[str, str], Summary]:
    return {(s.signal.source, s.signal.name): s for s in found}


def _signals(seen: Sequence[Seen]) -> tuple[Signal, ...]:
    valid = (one for one in seen if one.step.verdict.name != "invalid")
    found = {key: summary.signal for one in valid for key, summary in one.signals.items()}
    return tuple(found[key] for key in sorted(found))


def _by_name(series: Sequence[Series]) -> list[list[Series]]:
    """The series of one name together: an agent's clock may have been set in between."""
    found: dict[tuple[str, str], list[Series]] = {}
    for one in series:
        found.setdefault((one.signal.source, one.signal.name), []).append(one)
    return [found[key] for key in sorted(found)]


def _believed(alike: Sequence[Series]) -> Series:
    """Finite values only, rounded as they are in the file, by time."""
    at_s = np.concatenate([one.at_s for one in alike])
    values = np.concatenate([one.values for one in alike])
    fine = np.isfinite(at_s) & np.isfinite(values)
    fine &= np.abs(np.where(fine, values, 0.0)) <= VALUE_MAX
    rows = [
        (round(float(at), 3), float(f"{float(value):.6g}"))
        for at, value in zip(at_s[fine], values[fine], strict=True)
    ]
    table = np.array(sorted(rows), dtype=np.float64).reshape(-1, 2)
    return Series(alike[0].signal, table[:, 0], table[:, 1])


def _pooled(rows: Sequence[tuple[StepRecord, float, int]], stat: Stat) -> tuple[Point, ...]:
    """A point for each load; means are weighted by their samples."""
    by_load: dict[float, list[tuple[StepRecord, float, int]]] = {}
    for row in rows:
        by_load.setdefault(row[0].offered_per_s, []).append(row)
    return tuple(
        Point(load, _pool(by_load[load], stat), by_load[load][-1][0].index)
        for load in sorted(by_load)
    )


def _pool(rows: Sequence[tuple[StepRecord, float, int]], stat: Stat) -> float:
    values = [value for _, value, _ in rows]
    if stat == "mean":
        return sum(v * count for _, v, count in rows) / sum(count for _, _, count in rows)
    return max(values) if stat == "max" else min(values)


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) and value > 0 else 0.0


def _cores(value: object) -> int | None:
    return value if isinstance(value, int) and value > 0 else None


def _is_local(target: object) -> bool:
    if not isinstance(target, Mapping):
        return False
    addresses = [str(address) for address in target.get("addresses") or ()]
    loopback = any(a.startswith("127.") or a == "::1" for a in addresses)
    return bool(target.get("unix_socket")) or loopback
