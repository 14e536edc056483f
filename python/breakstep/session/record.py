"""From what was measured to the record of a step."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from breakstep.analysis.dispersion import dispersion_checks
from breakstep.analysis.durations import summarise
from breakstep.analysis.gaps import gaps_checks
from breakstep.analysis.halves import halves_checks
from breakstep.analysis.hopeless import apply_cut
from breakstep.analysis.host_noise import host_checks
from breakstep.analysis.little import InFlightTime, little_check
from breakstep.analysis.looks import Hold, judge_at
from breakstep.analysis.measured import Tally
from breakstep.analysis.queue import classify
from breakstep.analysis.rows import NEVER, Rows
from breakstep.analysis.rows_tally import as_tally, of_request
from breakstep.analysis.steady import judge_canary
from breakstep.analysis.trust import (
    GeneratorFacts,
    apply_trust,
    check_step,
    with_halves,
)
from breakstep.analysis.verdict import judge
from breakstep.engine.host.watch import HostSample
from breakstep.engine.step_runner import INTERRUPTED, Measurement, Window
from breakstep.model.plan import Plan
from breakstep.model.record import (
    Check,
    Generator,
    InFlight,
    RequestRecord,
    StepRecord,
    Trust,
    Verdict,
)
from breakstep.model.units import NS_PER_S


@dataclass(slots=True)
class Judge:
    """Judges the steps of a run; `plan` has the SLOs. Remembers what later steps are held to."""

    plan: Plan
    epoch_wall_ns: int
    first_canary: Rows | None = None
    light: list[Rows] = field(default_factory=list)
    """The arrivals of the light loads."""

    def decided(self, window: Window) -> bool:
        """Whether the arrivals until a look are enough for a verdict."""
        return self._judge_rows(window, rows_of(window)).name != "undecided"

    def record(
        self, measured: Measurement, host: HostSample | None, before: StepRecord | None
    ) -> StepRecord:
        """The step, measured and judged on its own window; `before` is the one before it."""
        tally, window = measured.tally, measured.window
        step, rows = window.step, rows_of(window)
        length_s = measured.length_s or 1.0
        generator = _generator(measured, length_s)
        queue = classify(
            window.in_flight_start, measured.in_flight_end, tally.completed, tally.arrivals
        )
        trust = self._trust(measured, generator, host, rows)
        if queue == "stable" and len(rows):
            halves = halves_checks(rows.ended_ns - rows.intended_ns)
            trust = with_halves(trust, halves, before, step.rate_per_s)
        return StepRecord(
            index=step.index,
            offered_per_s=step.rate_per_s,
            arrivals=tally.arrivals,
            sent=tally.histogram("lateness").count,
            completed=sum(tally.statuses.values()),
            ok=tally.outcomes["ok"],
            outcomes=tally.outcomes,
            statuses=tally.statuses,
            causes=tally.causes,
            sent_per_s=tally.sent / length_s,
            completed_per_s=tally.completed / length_s,
            goodput_per_s=tally.good / length_s,
            response_ms=summarise(tally.response()),
            service_ms=summarise(tally.histogram("service")),
            first_byte_ms=summarise(tally.histogram("first_byte")),
            lateness_ms=summarise(tally.histogram("lateness")),
            generator_lag_ms=summarise(tally.histogram("lag")),
            connect_ms=summarise(tally.histogram("connect")),
            in_flight=_in_flight(measured, length_s),
            queue=queue,
            generator=generator,
            connections_opened=tally.connections_opened,
            retried=tally.retried,
            unsolicited=tally.unsolicited,
            bytes_in=tally.bytes_in,
            bytes_out=tally.bytes_out,
            window_from=(self.epoch_wall_ns + window.from_ns) / NS_PER_S,
            window_to=(self.epoch_wall_ns + window.to_ns) / NS_PER_S,
            cut_short=measured.cut_short,
            verdict=self._verdict(measured, rows, trust),
            trust=trust,
            requests=self._requests(rows),
        )

    def _requests(self, rows: Rows) -> Mapping[str, RequestRecord]:
        if len(self.plan.scenarios) == 1:
            return {}
        parts = zip(self._names, rows.apart(len(self._names)), strict=True)
        return {name: of_request(part) for name, part in parts}

    @property
    def _names(self) -> Sequence[str]:
        return [scenario.name for scenario in self.plan.scenarios]

    def _trust(
        self, measured: Measurement, generator: Generator, host: HostSample | None, rows: Rows
    ) -> Trust:
        facts = GeneratorFacts(
            generator=generator,
            lag=measured.tally.histogram("lag"),
            arrivals=measured.tally.arrivals,
            due=_due(measured),
            spinning=self.plan.spin,
        )
        more = [] if host is None else host_checks(host, self.plan.slos)
        if len(rows) and not measured.interrupted:
            more += self._row_checks(measured, rows)
        return check_step(facts, self.plan.slos, more)

    def _row_checks(self, measured: Measurement, rows: Rows) -> list[Check]:
        window, sent = measured.window, rows.sent_ns != NEVER
        counted = InFlightTime(
            measured.tally.in_flight_ns, window.in_flight_start, window.from_ns, window.to_ns
        )
        extent = (window.from_ns, window.to_ns)
        law = self.plan.arrivals
        return [
            little_check(rows, counted),
            *dispersion_checks(rows.intended_ns, rows.sent_ns[sent], extent, law),
            *(gaps_checks(rows.intended_ns, rows.sent_ns[sent]) if law == "poisson" else ()),
        ]

    def _verdict(self, measured: Measurement, rows: Rows, trust: Trust) -> Verdict:
        if measured.interrupted:
            return Verdict("undecided", reasons=(INTERRUPTED,))
        if measured.window.step.kind == "canary":
            return self._canary(rows, trust)
        if measured.window.step.kind == "predict":
            self.light.append(rows)
        if measured.window.step.looks_ns:
            verdict = self._judge_rows(measured.window, rows)
        else:
            verdict = judge(self.plan.slos, measured.tally, self._tallies(rows))
        return apply_trust(apply_cut(verdict, measured.cut_short), trust)

    def _tallies(self, rows: Rows) -> Mapping[str, Tally]:
        """Of the requests that SLOs name."""
        named = dict.fromkeys(slo.request for slo in self.plan.slos if slo.request is not None)
        return {name: as_tally(rows.performing(self._names.index(name))) for name in named}

    def _judge_rows(self, window: Window, rows: Rows) -> Verdict:
        hold = Hold(
            rows,
            window.from_ns,
            window.to_ns,
            window.in_flight_start,
            self.plan.timeout_ns,
            self._names,
        )
        return judge_at(window.step, self.plan.slos, hold)

    def _canary(self, rows: Rows, trust: Trust) -> Verdict:
        verdict = apply_trust(judge_canary(self.first_canary, rows), trust)
        if self.first_canary is None and verdict.name == "pass":
            self.first_canary = rows
        return verdict


def rows_of(window: Window) -> Rows:
    """The arrivals of the window; those that have not ended are there too."""
    rows = Rows.decode(window.rows).until(window.to_ns)
    if window.due_ns is None:
        return rows
    performed = None if window.performed is None else np.array(window.performed, dtype=np.int64)
    due_ns = np.array(window.due_ns, dtype=np.int64)
    return rows.with_unfinished(due_ns, window.to_ns, performed)


def _due(measured: Measurement) -> int | None:
    """The arrivals that the schedule put into the window; None where they were not counted."""
    due_ns = measured.window.due_ns
    return None if due_ns is None or measured.interrupted else len(due_ns)


def _generator(measured: Measurement, length_s: float) -> Generator:
    length_ns = length_s * NS_PER_S
    return Generator(
        cpu_share=measured.tally.cpu_ns / length_ns,
        busiest_worker_share=measured.busiest_worker_cpu_ns / length_ns,
        run_delay_share=measured.tally.run_delay_ns / length_ns,
    )


def _in_flight(measured: Measurement, length_s: float) -> InFlight:
    return InFlight(
        mean=measured.tally.in_flight_ns / (length_s * NS_PER_S),
        max=measured.in_flight_max,
        start=measured.window.in_flight_start,
        end=measured.in_flight_end,
    )
