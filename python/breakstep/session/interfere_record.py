"""From what was measured beside other load to the record of a step."""

from collections.abc import Sequence

from breakstep.analysis.durations import summarise
from breakstep.analysis.trust import GeneratorFacts, check_step
from breakstep.engine.step_runner import INTERRUPTED
from breakstep.model.interfere import Offer
from breakstep.model.record import Check, InFlight, StepRecord, Trust, Verdict
from breakstep.model.units import NS_PER_S
from breakstep.session.beside import Taken
from breakstep.session.sweep_record import generator_of

UNJUDGED = Verdict("undecided", reasons=("no SLO is judged here",))


def recorded(
    index: int, offered: Offer, taken: Taken, more: Sequence[Check], *, spinning: bool
) -> StepRecord:
    """The step. A closed load offers what it sends. `more` are checks of the host."""
    tally, length_s = taken.tally, taken.length_s
    return StepRecord(
        index=index,
        offered_per_s=offered.rate_per_s or tally.arrivals / length_s,
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
        in_flight=InFlight(
            mean=tally.in_flight_ns / (length_s * NS_PER_S),
            max=taken.in_flight_max,
            start=taken.in_flight_start,
            end=taken.in_flight_end,
        ),
        queue="unknown",
        generator=generator_of(tally, taken.busiest_worker_cpu_ns, length_s),
        connections_opened=tally.connections_opened,
        retried=tally.retried,
        unsolicited=tally.unsolicited,
        bytes_in=tally.bytes_in,
        bytes_out=tally.bytes_out,
        window_from=(taken.epoch_wall_ns + taken.from_ns) / NS_PER_S,
        window_to=(taken.epoch_wall_ns + taken.to_ns) / NS_PER_S,
        cut_short=INTERRUPTED if taken.interrupted else None,
        verdict=UNJUDGED,
        trust=_trust(taken, more, spinning=spinning),
    )


def _trust(taken: Taken, more: Sequence[Check], *, spinning: bool) -> Trust:
    facts = GeneratorFacts(
        generator=generator_of(taken.tally, taken.busiest_worker_cpu_ns, taken.length_s),
        lag=taken.tally.histogram("lag"),
        arrivals=taken.tally.arrivals,
        spinning=spinning,
    )
    return check_step(facts, (), more)
