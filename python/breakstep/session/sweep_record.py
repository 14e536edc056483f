"""From what was measured to the records of a sweep, and what is to be said of each level."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from breakstep._engine import Tally
from breakstep.analysis.closed_laws import Closed, laws
from breakstep.analysis.durations import summarise
from breakstep.analysis.throughput_knee import users
from breakstep.analysis.trust import GeneratorFacts, check_step
from breakstep.analysis.words import percent
from breakstep.engine.step_runner import INTERRUPTED, Measurement
from breakstep.model.record import Check, Generator, InFlight, Trust, TrustName
from breakstep.model.sweep import Comparison, Level, Side, Sweep
from breakstep.model.units import NS_PER_MS, NS_PER_S
from breakstep.session.closed_level import ClosedMeasurement
from breakstep.session.open_comparison import nominal_per_s

_RANK: dict[TrustName, int] = {"trusted": 0, "noisy": 1, "invalid": 2}


@dataclass(frozen=True, slots=True)
class Recorder:
    """What every level of a sweep has in common.

    `others` is the number of sockets that are no connections to the target; `keeps` says whether
    connections carry more than one request.
    """

    spinning: bool
    epoch_wall_ns: int
    others: int
    keeps: bool

    def level(self, measured: ClosedMeasurement) -> Level:
        """The level, measured on its own window."""
        tally, load, length_s = measured.tally, measured.load, measured.length_s or 1.0
        completed_per_s = tally.completed / length_s
        in_flight = InFlight(
            mean=tally.in_flight_ns / (length_s * NS_PER_S),
            max=measured.in_flight_max,
            start=measured.in_flight_start,
            end=measured.in_flight_end,
        )
        response = tally.response()
        seen = Closed(
            users=load.concurrency,
            think_s=load.think_ns / NS_PER_S,
            window_s=length_s,
            completed_per_s=completed_per_s,
            response_s=response.mean_ns / NS_PER_S if response.count else None,
            in_flight=in_flight.mean,
        )
        generator = generator_of(tally, measured.busiest_worker_cpu_ns, length_s)
        return Level(
            index=load.index,
            concurrency=load.concurrency,
            arrivals=tally.arrivals,
            ok=tally.outcomes["ok"],
            outcomes=tally.outcomes,
            statuses=tally.statuses,
            causes=tally.causes,
            completed_per_s=completed_per_s,
            response_ms=summarise(response),
            service_ms=summarise(tally.histogram("service")),
            lateness_ms=summarise(tally.histogram("lateness")),
            in_flight=in_flight,
            laws=laws(seen),
            connections=max(0, measured.sockets - self.others) if self.keeps else None,
            connections_opened=measured.warmup.connections_opened + tally.connections_opened,
            generator=generator,
            window_from=(self.epoch_wall_ns + measured.from_ns) / NS_PER_S,
            window_to=(self.epoch_wall_ns + measured.to_ns) / NS_PER_S,
            cut_short=INTERRUPTED if measured.interrupted else None,
            trust=self._trust(tally, generator),
        )

    def comparison(
        self, level: Level, think_ns: int, unloaded_ns: int, measured: Measurement
    ) -> Comparison:
        """The users of the level beside the same load as an open model."""
        tally, length_s = measured.tally, measured.length_s
        window_s = level.window_to - level.window_from
        nominal = nominal_per_s(level.concurrency, think_ns, unloaded_ns)
        return Comparison(
            concurrency=level.concurrency,
            think_ms=think_ns / NS_PER_MS,
            unloaded_ms=unloaded_ns / NS_PER_MS,
            nominal_per_s=nominal,
            window_s=length_s,
            not_sent=max(0, round(nominal * window_s) - level.arrivals),
            closed=Side(
                sent_per_s=level.arrivals / window_s,
                arrivals=level.arrivals,
                ok=level.ok,
                timeouts=level.outcomes["timeout"] + level.outcomes["dropped"],
                response_ms=level.response_ms,
            ),
            open=Side(
                sent_per_s=tally.sent / length_s,
                arrivals=tally.arrivals,
                ok=tally.outcomes["ok"],
                timeouts=tally.outcomes["timeout"] + tally.outcomes["dropped"],
                response_ms=summarise(tally.response()),
            ),
            trust=self._trust(tally, generator_of(tally, measured.busiest_worker_cpu_ns, length_s)),
        )

    def _trust(self, tally: Tally, generator: Generator) -> Trust:
        facts = GeneratorFacts(
            generator=generator,
            lag=tally.histogram("lag"),
            arrivals=tally.arrivals,
            spinning=self.spinning,
        )
        return check_step(facts, ())


def level_notes(level: Level) -> list[str]:
    """What a reader has to know of a level, in sentences."""
    if level.unusable is not None:
        where = f"The level of {users(level.concurrency)}"
        return [f"{where} counts neither for the knee nor for the law: {level.unusable}."]
    notes = []
    needed = min(level.concurrency, level.in_flight.max)
    if level.connections is not None and level.connections < needed:
        notes.append(_connections_note(level))
    return [*notes, *_law_notes(level)]


def _law_notes(level: Level) -> list[str]:
    laws = level.laws
    held_against = (
        ("Little's law", laws.little_error, laws.little_allowed),
        ("R = N/X − Z", laws.interactive_error, laws.interactive_allowed),
    )
    return [
        _law_note(name, level, error, allowed)
        for name, error, allowed in held_against
        if error is not None and allowed is not None and error > allowed
    ]


def _law_note(name: str, level: Level, error: float, allowed: float) -> str:
    return (
        f"{name} is off by {percent(error)} with {users(level.concurrency)}, more than the "
        f"{percent(allowed)} that the edges of the window explain: the books of this level are "
        "wrong, or the service changed while it was measured."
    )


def worst_trust(found: Sweep) -> Trust:
    """The worst of each check over the levels that the answer rests on."""
    usable = [level for level in found.levels if level.unusable is None]
    checks = [
        _at(f"with {users(level.concurrency)}", check)
        for level in usable or found.levels
        for check in level.trust.checks
    ]
    if found.compare_open is not None:
        checks += [_at("in the open model", check) for check in found.compare_open.trust.checks]
    return _worst(checks)


def _worst(checks: Iterable[Check]) -> Trust:
    worst: dict[str, Check] = {}
    for check in checks:
        known = worst.get(check.name)
        if known is None or _RANK[check.verdict] > _RANK[known.verdict]:
            worst[check.name] = check
    verdicts = [check.verdict for check in worst.values()]
    verdict: TrustName = max(verdicts, key=lambda name: _RANK[name], default="trusted")
    return Trust(verdict, tuple(worst.values()))


def _at(where: str, check: Check) -> Check:
    if check.verdict == "trusted":
        return check
    return replace(check, says=f"{where} {check.says}")


def _connections_note(level: Level) -> str:
    if level.connections_opened > level.concurrency:
        return (
            f"The service kept closing connections: {level.connections_opened} were opened for "
            f"{users(level.concurrency)}."
        )
    return (
        f"Only {level.connections} connections were open for {users(level.concurrency)}: the "
        "level had no more concurrency than that."
    )


def generator_of(tally: Tally, busiest_worker_cpu_ns: int, length_s: float) -> Generator:
    """What the generator used over a window."""
    length_ns = length_s * NS_PER_S
    return Generator(
        cpu_share=tally.cpu_ns / length_ns,
        busiest_worker_share=busiest_worker_cpu_ns / length_ns,
        run_delay_share=tally.run_delay_ns / length_ns,
    )
