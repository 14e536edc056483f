"""Runs steps as the engine would, on the model server's own queue, in no time at all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from breakstep._engine import Segment, intended_starts, simulate
from breakstep.analysis.durations import NOTHING
from breakstep.analysis.looks import Hold, judge_at, queue_of
from breakstep.analysis.rows import OK, Rows
from breakstep.analysis.steady import judge_canary
from breakstep.analysis.verdict import tightest_bound_ns
from breakstep.model.outcome import OUTCOMES
from breakstep.model.record import Generator, InFlight, StepRecord, Trust
from breakstep.model.units import NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from breakstep.model.plan import Arrivals, Step
    from breakstep.model.record import Verdict
    from breakstep.model.slo import Slo

TIMEOUT_NS = 10 * NS_PER_S
HTTP_ERROR = OUTCOMES.index("http_error")
FIRST_FAILURE = 400
IDLE = Generator(0.0, 0.0, 0.0)


@dataclass
class VirtualService:
    """A model server with its flags, judged by SLOs; `at` may change the flags with the step."""

    parameters: Mapping[str, str]
    slos: Sequence[Slo]
    arrivals: Arrivals = "poisson"
    at: Callable[[Step], Mapping[str, str]] = lambda _: {}
    offered: int = 0
    """Arrivals so far, warm-up included."""
    first_canary: Rows | None = None

    def run(self, step: Step) -> StepRecord:
        """The step, ended at the look that decides."""
        looks = step.looks_ns or (step.hold_ns,)
        for look_ns in looks:
            hold = self.hold(step, look_ns)
            verdict = self._judge(step, hold)
            if verdict.name != "undecided":
                break
        self.offered += len(hold.rows) + round(step.rate_per_s * step.warmup_ns / NS_PER_S)
        return _record(step, hold, verdict)

    def hold(self, step: Step, until_ns: int) -> Hold:
        """The hold until a look, with the load going on for one bound after it."""
        tail_ns = tightest_bound_ns(self.slos) or 0
        segments = _segments(step, until_ns + tail_ns, self.arrivals)
        starts = np.array(intended_starts(segments), dtype="<u8")
        flags = {**self.parameters, "seed": str(step.seed), **self.at(step)}
        rows = _rows(starts, *simulate(flags, starts.tobytes()))
        from_ns, look_ns = step.warmup_ns, step.warmup_ns + until_ns
        before, held = rows.until(from_ns), rows.until(look_ns)
        in_flight = int(np.count_nonzero(before.ended_ns > from_ns))
        return Hold(held[len(before) :], from_ns, look_ns, in_flight, TIMEOUT_NS)

    def _judge(self, step: Step, hold: Hold) -> Verdict:
        if step.kind != "canary":
            return judge_at(step, self.slos, hold)
        verdict = judge_canary(self.first_canary, hold.rows)
        if self.first_canary is None and verdict.name == "pass":
            self.first_canary = hold.rows
        return verdict


def _segments(step: Step, hold_ns: int, arrivals: Arrivals) -> list[Segment]:
    start_ns, segments = 0, []
    for part, length_ns in enumerate((step.warmup_ns, hold_ns)):
        segments.append(
            Segment(
                start_ns=start_ns,
                duration_ns=length_ns,
                from_per_s=step.rate_per_s,
                to_per_s=step.rate_per_s,
                arrivals=arrivals,
                seed=4 * step.seed + part,
            )
        )
        start_ns += length_ns
    return segments


def _rows(starts: np.ndarray, ended: bytes, statuses: bytes) -> Rows:
    intended = starts.astype(np.int64)
    ended_ns = np.frombuffer(ended, "<u8").astype(np.int64)
    ok = np.frombuffer(statuses, "<u2") < FIRST_FAILURE
    # Whoever waits longer than the timeout has failed.
    in_time = ended_ns - intended <= TIMEOUT_NS
    outcome = np.where(ok & in_time, OK, HTTP_ERROR)
    return Rows(intended, intended, ended_ns, outcome, np.zeros_like(outcome))


def _record(step: Step, hold: Hold, verdict: Verdict) -> StepRecord:
    rows, length_s = hold.rows, (hold.until_ns - hold.from_ns) / NS_PER_S
    count, ok = len(rows), int(np.count_nonzero(rows.ok))
    ended = int(np.count_nonzero(rows.ended_ns <= hold.until_ns))
    failed = {"http_error": count - ok} if ok < count else {}
    return StepRecord(
        index=step.index,
        offered_per_s=step.rate_per_s,
        arrivals=count,
        sent=count,
        completed=ended,
        ok=ok,
        outcomes={**dict.fromkeys(OUTCOMES, 0), **failed, "ok": ok},
        statuses={200: ok},
        causes={},
        sent_per_s=count / length_s,
        completed_per_s=ended / length_s,
        goodput_per_s=ok / length_s,
        response_ms=replace(NOTHING, count=count),
        service_ms=NOTHING,
        first_byte_ms=NOTHING,
        lateness_ms=NOTHING,
        generator_lag_ms=NOTHING,
        connect_ms=NOTHING,
        in_flight=InFlight(0.0, 0, hold.in_flight_start, count - ended),
        queue=queue_of(hold),
        generator=IDLE,
        connections_opened=0,
        retried=0,
        unsolicited=0,
        bytes_in=0,
        bytes_out=0,
        window_from=0.0,
        window_to=length_s,
        cut_short=None,
        verdict=verdict,
        trust=Trust("trusted"),
    )
