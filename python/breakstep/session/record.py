"""From what was measured to the record of a step."""

from collections.abc import Sequence
from dataclasses import dataclass

from breakstep.analysis.durations import summarise
from breakstep.analysis.hopeless import apply_cut
from breakstep.analysis.queue import classify
from breakstep.analysis.trust import GeneratorFacts, apply_trust, check_step
from breakstep.analysis.verdict import judge
from breakstep.engine.step_runner import INTERRUPTED, Measurement
from breakstep.model.record import Generator, InFlight, StepRecord, Trust, Verdict
from breakstep.model.slo import Slo
from breakstep.model.units import NS_PER_S


@dataclass(frozen=True, slots=True)
class Judge:
    """What every step of a run is judged by."""

    slos: Sequence[Slo]
    spinning: bool
    epoch_wall_ns: int

    def record(self, measured: Measurement) -> StepRecord:
        """The step, measured and judged on its own window."""
        tally, window = measured.tally, measured.window
        step = window.step
        length_s = measured.length_s or 1.0
        generator = _generator(measured, length_s)
        trust = self._trust(measured, generator)
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
            queue=classify(
                window.in_flight_start, measured.in_flight_end, tally.completed, tally.arrivals
            ),
            generator=generator,
            connections_opened=tally.connections_opened,
            retried=tally.retried,
            unsolicited=tally.unsolicited,
            bytes_in=tally.bytes_in,
            bytes_out=tally.bytes_out,
            window_from=(self.epoch_wall_ns + window.from_ns) / NS_PER_S,
            window_to=(self.epoch_wall_ns + window.to_ns) / NS_PER_S,
            cut_short=measured.cut_short,
            verdict=self._verdict(measured, trust),
            trust=trust,
        )

    def _trust(self, measured: Measurement, generator: Generator) -> Trust:
        facts = GeneratorFacts(
            generator=generator,
            lag=measured.tally.histogram("lag"),
            arrivals=measured.tally.arrivals,
            spinning=self.spinning,
        )
        return check_step(facts, self.slos)

    def _verdict(self, measured: Measurement, trust: Trust) -> Verdict:
        if measured.interrupted:
            return Verdict("undecided", reasons=(INTERRUPTED,))
        verdict = judge(self.slos, measured.tally)
        return apply_trust(apply_cut(verdict, measured.cut_short), trust)


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
