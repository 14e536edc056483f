"""Stacks for tests of the diagnosis: the engine's own queue in virtual time, and signals beside it.

A stack is a queue (flags of `breakstep target`) offered at several loads. Each signal is a function
of what the queue did at that load, sampled twice a second with a little scatter, as a probe would.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from fakes import WINDOW_FROM, FakeHistogram, record

from breakstep._engine import Segment, intended_starts, simulate
from breakstep.analysis.durations import summarise
from breakstep.analysis.queue import classify
from breakstep.analysis.signals import Series
from breakstep.diagnosis.observed import Observed, observed_of
from breakstep.model.outcome import OUTCOMES
from breakstep.model.record import Answer, Generator, InFlight, Result, StepRecord, Trust
from breakstep.model.signal import Signal
from breakstep.model.units import NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from breakstep.model.record import Status

EVERY_S = 0.5
WARMUP_S = 2.0
BOUND_MS = 100.0
SCATTER = 0.02
MEASURED = ("cores", "share", "ms", "tasks")
"""Units of what is measured; what is counted has no scatter of its own."""
LOCAL = {"target": {"addresses": ["127.0.0.1"], "unix_socket": None}, "warmup_s": WARMUP_S}


@dataclass(frozen=True)
class Did:
    """What the queue did at a load: what signals are functions of."""

    offered: float
    completed: float
    """Requests a second that left the queue in the window."""
    in_system: float
    """In the queue and in service at the instant of the sample."""


Key = tuple[str, str, str, str]


@dataclass(frozen=True)
class Stack:
    """A queue, the loads it is offered, and its signals by (source, kind, name, unit)."""

    flags: Mapping[str, str]
    loads: Sequence[float]
    signals: Mapping[Key, Callable[[Did], float]] = field(default_factory=dict)
    hold_s: float = 5.0
    seed: int = 3
    plan: Mapping[str, object] = field(default_factory=lambda: dict(LOCAL))
    cores: int = 2
    change: Callable[[StepRecord], StepRecord] = lambda step: step
    """What the simulator cannot make: refused connections, noise of the host."""
    trust: Trust = field(default_factory=lambda: Trust("trusted"))
    status: Status | None = None

    def observed(self) -> Observed:
        """As `diagnose` gets it."""
        result, series = self.run()
        return observed_of(result, series)

    def run(self) -> tuple[Result, list[Series]]:
        """The result and the series, as a session would have them."""
        steps, did = [], []
        for index, load in enumerate(self.loads):
            step, sampled = self._step(index, load)
            steps.append(self.change(step))
            did.append(sampled)
        series = [
            self._series(Signal(*key), of, steps, did, number)
            for number, (key, of) in enumerate(self.signals.items())
        ]
        base = Result(
            id="20260102T030405Z-1a2b3c",
            command="find",
            plan=self.plan,
            environment={"cores": self.cores},
            runs=(),
            answer=self._answer(steps),
            trust=self.trust,
        )
        return replace(base, runs=_run(steps, base.answer)), series

    def _step(self, index: int, load: float) -> tuple[StepRecord, list[Did]]:
        starts = _starts(load, self.hold_s, self.seed + index)
        flags = {"seed": str(self.seed), **self.flags}
        ended, statuses = (np.frombuffer(b, t) for b, t in _simulated(flags, starts))
        from_ns, to_ns = WARMUP_S * NS_PER_S, (WARMUP_S + self.hold_s) * NS_PER_S
        held = (starts >= from_ns) & (starts < to_ns)
        response_ms = (ended.astype(float) - starts)[held] / 1e6
        ok = statuses[held] < 400
        out = (ended >= from_ns) & (ended < to_ns)
        before, after = (int(((starts < at) & (ended > at)).sum()) for at in (from_ns, to_ns))
        flight = _in_system(starts, ended, np.linspace(from_ns, to_ns, 400))
        durations = summarise(FakeHistogram(round(ms * 1e6) for ms in response_ms))
        errors = int((~ok).sum())
        late = int((ok & (response_ms > BOUND_MS)).sum())
        bad = (errors + late) / max(1, len(ok))
        base = record(index, load, "fail" if bad > 0.05 else "pass", p95_ms=durations.p95 or 0.0)
        begins = WINDOW_FROM + index * (self.hold_s + WARMUP_S)
        step = replace(
            base,
            arrivals=len(ok),
            sent=len(ok),
            completed=len(ok),
            ok=len(ok) - errors,
            outcomes={
                **dict.fromkeys(OUTCOMES, 0),
                "ok": len(ok) - errors,
                "http_error": errors,
            },
            statuses=_counts(statuses[held]),
            completed_per_s=float(out.sum()) / self.hold_s,
            goodput_per_s=(len(ok) - errors - late) / self.hold_s,
            response_ms=durations,
            service_ms=durations,
            in_flight=InFlight(float(np.mean(flight)), int(flight.max()), before, after),
            queue=classify(before, after, int(out.sum()), len(ok)),
            generator=Generator(0.08, 0.08, 0.002),
            window_from=begins,
            window_to=begins + self.hold_s,
        )
        sampled_ns = np.arange(0.25, WARMUP_S + self.hold_s, EVERY_S) * NS_PER_S
        return step, [
            Did(load, step.completed_per_s, float(there))
            for there in _in_system(starts, ended, sampled_ns)
        ]

    def _series(
        self,
        signal: Signal,
        of: Callable[[Did], float],
        steps: Sequence[StepRecord],
        did: Sequence[Sequence[Did]],
        number: int,
    ) -> Series:
        random = np.random.default_rng(1000 * self.seed + number)
        at_s: list[float] = []
        values: list[float] = []
        spread = SCATTER if signal.unit in MEASURED else 0.0
        for step, sampled in zip(steps, did, strict=True):
            begins = step.window_from - WARMUP_S + 0.25
            at_s += [begins + k * EVERY_S for k in range(len(sampled))]
            scatter = 1.0 + spread * random.standard_normal(len(sampled))
            limit = 1.0 if signal.unit == "share" else np.inf
            values += list(np.clip([of(done) for done in sampled] * scatter, 0.0, limit))
        return Series(signal, np.array(at_s), np.array(values))

    def _answer(self, steps: Sequence[StepRecord]) -> Answer:
        failed = [step.offered_per_s for step in steps if step.verdict.name == "fail"]
        broken = min(failed, default=None)
        held = [
            step.offered_per_s
            for step in steps
            if step.verdict.name == "pass" and (broken is None or step.offered_per_s < broken)
        ]
        status: Status = "above_ceiling" if broken is None else "found"
        if broken is not None and not held:
            status = "below_floor"
        if self.status == "untrusted":
            return Answer("untrusted", None, None)
        return Answer(self.status or status, max(held, default=None), broken)


def share(limit: float) -> Callable[[Did], float]:
    """The use of something that is full at this rate."""
    return lambda did: min(1.0, did.completed / limit)


def level(value: float) -> Callable[[Did], float]:
    """The same at every load."""
    return lambda _: value


def cores(seconds: float, background: float = 0.01) -> Callable[[Did], float]:
    """CPU of a demand, seconds a request."""
    return lambda did: background + seconds * did.completed


def waiting(places: float) -> Callable[[Did], float]:
    """What is in the system beyond so many."""
    return lambda did: max(0.0, did.in_system - places)


def at_most(places: float) -> Callable[[Did], float]:
    """What is in the system, up to so many."""
    return lambda did: min(places, did.in_system)


def _run(steps: Sequence[StepRecord], answer: Answer) -> tuple:  # type: ignore[type-arg]
    from breakstep.model.record import RunRecord  # noqa: PLC0415

    held, broken = answer.sustainable_per_s, answer.broken_per_s
    return (RunRecord(7, "broken", "", held, broken, tuple(steps)),)


def _starts(load: float, hold_s: float, seed: int) -> np.ndarray:
    segment = Segment(
        start_ns=0,
        duration_ns=round((WARMUP_S + hold_s) * NS_PER_S),
        from_per_s=load,
        to_per_s=load,
        arrivals="poisson",
        seed=seed,
    )
    return np.array(intended_starts([segment]), dtype="<u8")


def _simulated(flags: Mapping[str, str], starts: np.ndarray) -> list[tuple[bytes, str]]:
    ended, statuses = simulate(flags, starts.tobytes())
    return [(ended, "<u8"), (statuses, "<u2")]


def _in_system(starts: np.ndarray, ended: np.ndarray, at_ns: np.ndarray) -> np.ndarray:
    """How many had come and not gone at each instant; `starts` is sorted."""
    came, gone = (
        np.searchsorted(starts, at_ns, "right"),
        np.searchsorted(np.sort(ended), at_ns, "right"),
    )
    return came - gone


def _counts(statuses: np.ndarray) -> dict[int, int]:
    found, counts = np.unique(statuses, return_counts=True)
    return {int(status): int(count) for status, count in zip(found, counts, strict=True)}
