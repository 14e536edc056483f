"""The database's CPU was full; pools and workers in front of it fill up too, as symptoms.

    shown      a room of CPU (cpu.py) that the database filled was full
    possible   the room it used most of was 0.6 to 0.9 busy (shown, if it is forecast to fill up
               where the service breaks); or it used 0.6 of a core and nobody
               looked at the cores; or a pool in front of it was full and its CPU not sampled

That a query then takes longer (W = active / transactions, Little's law) is a row of evidence.
"""

from dataclasses import replace

from breakstep.analysis.words import percent
from breakstep.diagnosis.candidate import NEARLY, Candidate, saturation, weight_of
from breakstep.diagnosis.consumers import Consumer, consumers
from breakstep.diagnosis.cpu import full_rooms, nearly_full
from breakstep.diagnosis.evidence import fact, rate, row, rows_about, shown
from breakstep.diagnosis.observed import Observed
from breakstep.diagnosis.pools import busy_pools
from breakstep.diagnosis.room import FULL, Room
from breakstep.diagnosis.track import Track
from breakstep.model.finding import Evidence
from breakstep.model.units import NS_PER_S, format_duration

ACTIVE_FLOOR, RUN_DELAY_FLOOR = 2.0, 0.2
REMEDY = (
    "Make the query cheaper (index, fewer rows, a cache), reuse connections, or give the database "
    "more cores. A larger pool would only move the queue into it."
)
EXPERIMENT = "give the database one more core: the breaking load has to rise with it"


def database_cpu(observed: Observed) -> Candidate | None:
    """Whether the database computed at its limit."""
    for room in full_rooms(observed):
        if room.consumer is not None and room.consumer.role == "database":
            return _full(observed, room, room.consumer)
    return _nearly(observed) or _unseen(observed)


def _full(observed: Observed, room: Room, one: Consumer) -> Candidate | None:
    queue, floor = _queue(observed, one)
    found = saturation(observed, room.business, queue, floor)
    used = one.cpu.top(observed.break_per_s or 0.0)
    if found is None or used is None:
        return None
    name = resource(observed, one)
    rows = (
        row(one.cpu, used, f"most of {room.name}"),
        row(room.business, found.peak, f"how busy {room.name} was"),
        *slower_queries(observed),
    )
    return Candidate(
        kind="database_cpu",
        resource=name,
        weight="shown",
        says=f"The database {name} computed at its limit: {shown(used.value, 'cores')}, "
        f"most of {room.name}, which was full.",
        evidence=(*rows, *rows_about(found, room.business, room.name)),
        remedy=REMEDY,
        experiment=EXPERIMENT,
        saturation=found,
        at_most=room.surely,
    )


def _nearly(observed: Observed) -> Candidate | None:
    """A database that used most of a room that had something left."""
    room = nearly_full(observed, "database")
    found = None if room is None or room.consumer is None else _full(observed, room, room.consumer)
    if room is None or found is None:
        return _roomless(observed)
    says = (
        f"The database {found.resource} used most of {room.name}, which was busy "
        f"{percent(room.peak.value)} of the time; not full, but queries queue before that."
    )
    weight = found.saturation and weight_of(observed, found.saturation, FULL)
    return replace(found, weight=weight or "possible", says=says)


def _roomless(observed: Observed) -> Candidate | None:
    """A database that used much of a core, with nobody looking at the cores."""
    for one in consumers(observed):
        used = one.cpu.top(observed.break_per_s or 0.0)
        if (
            one.role != "database"
            or used is None
            or used.value < NEARLY
            or observed.sources("host")
        ):
            continue
        name = resource(observed, one)
        return Candidate(
            kind="database_cpu",
            resource=name,
            weight="possible",
            says=f"The database {name} used {shown(used.value, 'cores')}; whether that was all it "
            "could have had was not seen.",
            evidence=(row(one.cpu, used, "by the database"), *slower_queries(observed)),
            remedy=REMEDY,
            experiment="add --probe host to see the core it runs on",
        )
    return None


def _unseen(observed: Observed) -> Candidate | None:
    """A pool was full, and nobody looked at the database behind it."""
    full = busy_pools(observed)
    if not full or any(one.role == "database" for one in consumers(observed)):
        return None
    return Candidate(
        kind="database_cpu",
        resource=None,
        weight="possible",
        says=f"The CPU of the database behind {full[0].pool.name} was not sampled; full, it would "
        "fill the pool as well.",
        evidence=(),
        remedy=REMEDY,
        experiment="add --probe postgres:DSN, or process:NAME of the database",
    )


def resource(observed: Observed, one: Consumer) -> str:
    """The database by its own probe where there is one: it names the place."""
    own = observed.sources("postgres")
    return (
        own[0]
        if one.kind == "process" and own and "postgres" in _text(observed, one)
        else (one.source)
    )


def slower_queries(observed: Observed) -> tuple[Evidence, ...]:
    """How long a transaction took at the lightest load and at the break, by Little's law."""
    for active in observed.tracks("postgres", "active"):
        done = observed.track(active.source, "transactions")
        if done is None:
            continue
        took = active.over(done)
        top = took.top(observed.break_per_s or 0.0)
        if top is None or took.points[0].per_s >= top.per_s:
            continue
        first = took.points[0]
        says = (
            f"a transaction took {_spoken(top.value)} at {rate(top.per_s)}, "
            f"{_spoken(first.value)} at {rate(first.per_s)} (active / transactions)"
        )
        title = f"{active.source} active/transactions"
        return (fact(title, 1000 * top.value, "ms", top.step, says),)
    return ()


def _queue(observed: Observed, one: Consumer) -> tuple[Track | None, float]:
    active = next(iter(observed.tracks("postgres", "active", "max")), None)
    if active is not None:
        return active, ACTIVE_FLOOR
    return observed.track(one.source, "run_delay"), RUN_DELAY_FLOOR


def _text(observed: Observed, one: Consumer) -> str:
    names = [s.name for s in observed.signals if s.source == one.source]
    return " ".join((one.source, *names))


def _spoken(seconds: float) -> str:
    return format_duration(seconds * NS_PER_S)
