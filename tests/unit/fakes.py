"""Stand-ins for the engine's values, and builders of records, for tests without the extension."""
# ruff: noqa: D102  the members are those of the engine's stub

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field, replace
from math import ceil
from typing import TYPE_CHECKING

from breakstep.analysis.durations import summarise
from breakstep.model.outcome import OUTCOMES
from breakstep.model.record import (
    Check,
    Criterion,
    Generator,
    InFlight,
    StepRecord,
    Trust,
    Verdict,
)
from breakstep.model.units import NS_PER_MS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from breakstep.model.record import Queue, VerdictName
    from breakstep.model.timing import HistogramName

WINDOW_FROM = 1_700_000_000.0
HOLD_S = 10.0


class FakeHistogram:
    """Keeps every value: exact where the engine's rounds to three digits."""

    def __init__(self, values_ns: Iterable[int] = ()) -> None:
        self.values_ns = sorted(values_ns)

    @property
    def count(self) -> int:
        return len(self.values_ns)

    @property
    def mean_ns(self) -> float:
        return sum(self.values_ns) / len(self.values_ns)

    @property
    def max_ns(self) -> int:
        return self.values_ns[-1]

    def quantile_ns(self, quantile: float, /) -> int:
        rank = max(1, ceil(quantile * len(self.values_ns)))
        return self.values_ns[rank - 1]

    def count_at_or_below(self, value_ns: int, /) -> int:
        return bisect_right(self.values_ns, value_ns)

    def encode(self) -> bytes:
        return b"fake"


@dataclass
class FakeTally:
    """A tally of ok response times, ms, and of failures by outcome."""

    ok_ms: Sequence[float] = ()
    failed: dict[str, int] = field(default_factory=dict)
    unfinished: int = 0
    lateness_ms: Sequence[float] = ()
    cpu_ns: int = 0

    @property
    def arrivals(self) -> int:
        return len(self.ok_ms) + sum(self.failed.values()) + self.unfinished

    @property
    def outcomes(self) -> dict[str, int]:
        return {**dict.fromkeys(OUTCOMES, 0), **self.failed, "ok": len(self.ok_ms)}

    @property
    def sent(self) -> int:
        return self.arrivals - self.failed.get("dropped", 0)

    @property
    def completed(self) -> int:
        return len(self.ok_ms) + self.failed.get("http_error", 0)

    @property
    def good(self) -> int:
        return len(self.ok_ms)

    def histogram(self, name: HistogramName, /) -> FakeHistogram:
        values_ms = {"ok": self.ok_ms, "service": self.ok_ms, "lateness": self.lateness_ms}
        return FakeHistogram(round(ms * NS_PER_MS) for ms in values_ms.get(name, ()))

    def response(self) -> FakeHistogram:
        return self.histogram("ok")


def trust_of(verdict: str = "trusted") -> Trust:
    """A trust with one check."""
    says = "the busiest generator thread used 31 % of a core"
    if verdict == "trusted":
        return Trust("trusted", (Check("generator_cpu", 0.31, 0.8, "trusted", says),))
    if verdict == "noisy":
        says = "the busiest generator thread used 85 % of a core: give it more --workers"
        return Trust("noisy", (Check("generator_cpu", 0.85, 0.8, "noisy", says),))
    says = "the busiest generator thread used 98 % of a core: give it more --workers"
    return Trust("invalid", (Check("generator_cpu", 0.98, 0.95, "invalid", says),))


def record(
    index: int,
    rate_per_s: float,
    verdict: VerdictName = "pass",
    *,
    p95_ms: float = 36.0,
    queue: Queue = "stable",
    trust: str = "trusted",
) -> StepRecord:
    """A step of ten seconds as a session would have recorded it."""
    arrivals = round(rate_per_s * HOLD_S)
    spread = FakeHistogram(round(p95_ms * NS_PER_MS * k / 95) for k in range(1, 101))
    lag = FakeHistogram([80_000, 90_000, 300_000])
    durations, lag_ms = summarise(spread), summarise(lag)
    bound = "above" if verdict == "fail" else "within"
    says = f"p95 was {p95_ms:g} ms, {bound} 200 ms"
    criterion = Criterion("p95<200ms", p95_ms, 200.0, verdict, says)
    return StepRecord(
        index=index,
        offered_per_s=rate_per_s,
        arrivals=arrivals,
        sent=arrivals,
        completed=arrivals,
        ok=arrivals,
        outcomes={**dict.fromkeys(OUTCOMES, 0), "ok": arrivals},
        statuses={200: arrivals},
        causes={},
        sent_per_s=rate_per_s,
        completed_per_s=rate_per_s,
        goodput_per_s=rate_per_s,
        response_ms=durations,
        service_ms=durations,
        first_byte_ms=durations,
        lateness_ms=lag_ms,
        generator_lag_ms=lag_ms,
        connect_ms=lag_ms,
        in_flight=InFlight(12.5, 31, 8, 11),
        queue=queue,
        generator=Generator(0.31, 0.31, 0.002),
        connections_opened=31,
        retried=0,
        unsolicited=0,
        bytes_in=arrivals * 180,
        bytes_out=arrivals * 90,
        window_from=WINDOW_FROM + index * 15.0,
        window_to=WINDOW_FROM + index * 15.0 + HOLD_S,
        cut_short=None,
        verdict=Verdict(verdict, (criterion,), (says,)),
        trust=trust_of(trust),
    )


def with_failures(step: StepRecord, **failed: int) -> StepRecord:
    """The step with some of its ok arrivals failed."""
    ok = step.ok - sum(failed.values())
    return replace(step, ok=ok, outcomes={**step.outcomes, **failed, "ok": ok})
