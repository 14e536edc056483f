"""The CPU of the program that serves requests was full.

shown      a room of CPU (cpu.py) that an app or a proxy filled was full
shown      a control group was held back in more than 5 % of its periods at the break
inferred   a core or the whole host was full, and no probed program explains it
possible   the room an app or a proxy used most of was 0.6 to 0.9 busy; shown, if it is forecast to
           fill up where the service breaks
"""

from dataclasses import replace

from breakstep.analysis.words import percent
from breakstep.diagnosis.candidate import Candidate, saturation, weight_of
from breakstep.diagnosis.consumers import Consumer
from breakstep.diagnosis.cpu import full_rooms, nearly_full
from breakstep.diagnosis.evidence import row, rows_about, shown
from breakstep.diagnosis.observed import Observed
from breakstep.diagnosis.room import FULL, Room
from breakstep.diagnosis.strangers import strangers
from breakstep.diagnosis.track import Track, highest
from breakstep.model.finding import Evidence

THROTTLED = 0.05
"""Of the scheduler's periods."""
QUEUE_FLOOR, RUN_DELAY_FLOOR, PRESSURE_FLOOR = 2.0, 0.3, 0.10
REMEDY = (
    "Make a request cheaper (profile it, cache), or give the service more CPU: more cores, a "
    "higher quota, another instance. More workers on the same cores do not help."
)
EXPERIMENT = "give it half as many cores again: the breaking load has to rise by as much"


def cpu_workers(observed: Observed) -> Candidate | None:
    """Whether computing was the limit."""
    unknown: Room | None = None
    for room in full_rooms(observed):
        if room.consumer is not None and room.consumer.role in ("app", "proxy"):
            return _full(observed, room, room.consumer)
        if room.consumer is None:
            unknown = unknown or room
    if unknown is not None and strangers(observed) is None:
        return _throttled(observed) or _unexplained(observed, unknown)
    near = nearly_full(observed, "app", "proxy")
    found = None if near is None or near.consumer is None else _full(observed, near, near.consumer)
    return _throttled(observed) or (found and _not_quite(observed, found))


def _not_quite(observed: Observed, found: Candidate) -> Candidate:
    """The same with a room that still had something left."""
    if found.saturation is None:
        return found
    peak = found.saturation.peak.value
    says = (
        f"The CPU of {found.resource} was busy {percent(peak)} of the time; not full, but "
        "requests queue before that."
    )
    weight = weight_of(observed, found.saturation, FULL) or "possible"
    return replace(found, weight=weight, says=says)


def _full(observed: Observed, room: Room, one: Consumer) -> Candidate | None:
    queue, floor = _queue(observed, one.source)
    found = saturation(observed, room.business, queue, floor)
    used = one.cpu.top(observed.break_per_s or 0.0)
    if found is None or used is None:
        return None
    rows = (
        row(one.cpu, used, f"most of {room.name}"),
        row(room.business, found.peak, f"how busy {room.name} was"),
        *_waiting(observed, queue),
        *_generators(observed),
    )
    return Candidate(
        kind="cpu_workers",
        resource=one.source,
        weight="shown",
        says=f"The CPU of {one.source} was full: {shown(used.value, 'cores')}, most of "
        f"{room.name}.",
        evidence=(*rows, *rows_about(found, room.business, room.name)),
        remedy=REMEDY,
        experiment=EXPERIMENT,
        saturation=found,
        at_most=room.surely,
    )


def _throttled(observed: Observed) -> Candidate | None:
    held_back = highest(observed.tracks("cgroup", "throttled_periods"), observed.break_per_s or 0.0)
    found = None if held_back is None else saturation(observed, held_back, held_back, THROTTLED)
    if held_back is None or found is None or found.peak.value <= THROTTLED:
        return None
    share = percent(found.peak.value)
    return Candidate(
        kind="cpu_workers",
        resource=held_back.source,
        weight="shown",
        says=f"{held_back.source} was held back by its CPU limit in {share} of its periods.",
        evidence=(row(held_back, found.peak, "of its periods it was held back by its CPU limit"),),
        remedy="Raise the CPU limit of the group, or make a request cheaper.",
        experiment="raise the limit by half: the breaking load has to rise by as much",
        confidence="high" if found.onset_per_s is not None else "medium",
    )


def _unexplained(observed: Observed, room: Room) -> Candidate:
    """A full room of which nobody knows who filled it."""
    return Candidate(
        kind="cpu_workers",
        resource=room.name,
        weight="inferred",
        says=f"{room.name[0].upper()}{room.name[1:]} was full, and no probed program used most "
        "of it.",
        evidence=(row(room.business, room.peak, f"how busy {room.name} was"),),
        remedy="Find out which program it was: add --probe process:NAME for each that may be.",
        experiment="add --probe process:NAME for the service and for its database",
        saturation=saturation(observed, room.business, *_queue(observed, "")),
    )


def _queue(observed: Observed, source: str) -> tuple[Track | None, float]:
    """What waited for the CPU: the program's threads, else its pool's queue, else anything."""
    break_per_s = observed.break_per_s or 0.0
    delay = observed.track(source, "run_delay")
    if delay is not None:
        return delay, RUN_DELAY_FLOOR
    pool = highest(observed.tracks("php-fpm", "queue", "max"), break_per_s)
    if pool is not None and any(point.value > 0.0 for point in pool.points):
        return pool, QUEUE_FLOOR
    pressure = observed.tracks("cgroup", "cpu_pressure") or observed.tracks("host", "cpu_pressure")
    return highest(pressure, break_per_s), PRESSURE_FLOOR


def _waiting(observed: Observed, queue: Track | None) -> tuple[Evidence, ...]:
    top = None if queue is None else queue.top(observed.break_per_s or 0.0)
    if queue is None or top is None:
        return ()
    return (row(queue, top, "waiting for the CPU"),)


def _generators(observed: Observed) -> tuple[Evidence, ...]:
    """What the generator took of the same machine, where that is worth a line."""
    track = next((t for t in observed.tracks("generator", "cpu") if t.name == "cpu"), None)
    top = None if track is None else track.top(observed.break_per_s or 0.0)
    if not observed.local or track is None or top is None or top.value < _WORTH_A_LINE:
        return ()
    return (row(track, top, "by the load generator on the same machine"),)


_WORTH_A_LINE = 0.1
