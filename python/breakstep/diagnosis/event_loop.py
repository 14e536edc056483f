"""One thread that does everything was full, while the machine had cores to spare.

    loop       event-loop utilisation of Node ≥ 0.9, and the process really computed (≥ 0.7 of a
               core, or 0.9 if another program was full): a loop that waits for a core counts as
               busy too
    thread     or one thread ≥ 0.9 of a core, which made up most of a program that used no more than
               1.3 cores; not that of a database, nor of a pool of worker processes
    nearly     0.6 to 0.9 is possible, and shown if it is forecast to fill up where the service
               breaks: random arrivals queue in front of one server long before it is full

The queue is in the kernel's socket buffers, where the program cannot see it: `listen` can.
"""

from breakstep.analysis.words import percent
from breakstep.diagnosis.candidate import Candidate, Saturation, Weight, saturation, weight_of
from breakstep.diagnosis.consumers import Consumer, consumers
from breakstep.diagnosis.cpu import full_rooms
from breakstep.diagnosis.evidence import row, rows_about
from breakstep.diagnosis.observed import Observed
from breakstep.diagnosis.roles import machine_of
from breakstep.diagnosis.track import Point, Track, highest
from breakstep.model.finding import Evidence

LOOP_FULL = 0.90
COMPUTING = 0.70
"""Of a core, by the thread of a full loop; less and it was waiting for a core."""
THREAD_FULL = 0.90
ONE_THREADED = 0.70
"""Of a program's CPU, in its busiest thread."""
CORES_MAX = 1.3
"""Helpers (collector, compiler, name resolution) take the rest beside a full thread."""
IDLE = 0.10
"""Of the host: more processes with a loop each are the machine's limit if nothing is left."""
UNREAD_FLOOR, DELAY_FLOOR_MS = 2.0, 20.0
REMEDY = (
    "Take the work off the loop (worker threads, a queue, a cheaper algorithm), or run one process "
    "a core."
)
EXPERIMENT = "run a second process behind the same port: the breaking load has to rise by half"


def event_loop(observed: Observed) -> Candidate | None:
    """Whether one thread was the limit."""
    loops = observed.tracks("node", "loop_utilisation")
    loop = highest(loops, observed.break_per_s or 0.0)
    found = None if loop is None else _loop(observed, loop)
    return found or _thread(observed)


def _loop(observed: Observed, loop: Track) -> Candidate | None:
    thread = _thread_of_loop(observed)
    found = saturation(observed, loop, _queue(observed), _floor(observed))
    if found is None or _starved(observed, thread) or _fills_host(observed, loop.source):
        return None
    weight = weight_of(observed, found, LOOP_FULL)
    if weight is None:
        return None
    rows = [row(loop, found.peak, "the event loop's own measure of being busy")]
    top = None if thread is None else thread.top(observed.break_per_s or 0.0)
    if thread is not None and top is not None:
        rows.append(row(thread, top, "the CPU of the thread it runs in"))
    return _candidate(observed, (*rows, *_spare(observed)), found, weight, loop)


def _thread(observed: Observed) -> Candidate | None:
    """The busiest thread of a program that is mostly one thread."""
    for one in consumers(observed):
        thread = observed.track(one.source, "busiest_thread")
        if one.kind != "process" or one.role == "database" or thread is None:
            continue
        found = saturation(observed, thread, _queue(observed), _floor(observed))
        weight = None if found is None else weight_of(observed, found, THREAD_FULL)
        if found is None or weight is None or not _is_one_threaded(observed, one, found.peak):
            continue
        rows = (row(thread, found.peak, "the busiest thread, of a core"),)
        return _candidate(observed, (*rows, *_spare(observed)), found, weight, thread)
    return None


def _candidate(
    observed: Observed,
    rows: tuple[Evidence, ...],
    found: Saturation,
    weight: Weight,
    use: Track,
) -> Candidate:
    full = found.peak.value >= LOOP_FULL
    level = "full" if full else f"busy {percent(found.peak.value)} of the time"
    spare = "" if full else "; not full, but requests queue before that"
    return Candidate(
        kind="event_loop",
        resource=use.source,
        weight=weight,
        says=f"The one thread of {use.source} that serves requests was {level}{spare}.",
        evidence=(*rows, *_in_front(observed), *rows_about(found, use, "the loop")),
        remedy=REMEDY,
        experiment=EXPERIMENT,
        saturation=found,
    )


def _thread_of_loop(observed: Observed) -> Track | None:
    """The thread of the Node program: of its process probe, or else its CPU."""
    break_per_s = observed.break_per_s or 0.0
    apps = [one for one in consumers(observed) if one.role == "app" and one.kind == "process"]
    tracks = [t for one in apps if (t := observed.track(one.source, "busiest_thread")) is not None]
    return highest(tracks, break_per_s) or highest(observed.tracks("node", "cpu"), break_per_s)


def _starved(observed: Observed, thread: Track | None) -> bool:
    """Whether the loop was busy waiting for a core that others had."""
    top = None if thread is None else thread.top(observed.break_per_s or 0.0)
    loop = highest(observed.tracks("node", "loop_utilisation"), observed.break_per_s or 0.0)
    peak = None if loop is None else loop.top(observed.break_per_s or 0.0)
    if thread is None or top is None or peak is None:
        return False
    held_up = top.value < THREAD_FULL and _another_is_full(observed, thread)
    return held_up or top.value < COMPUTING * min(1.0, peak.value)


def _another_is_full(observed: Observed, thread: Track) -> bool:
    """Whether another program filled the CPU of its machine."""
    machine = machine_of(thread.source)
    owners = [room.consumer for room in full_rooms(observed) if room.consumer is not None]
    others = [one.source for one in owners if one.source != thread.source]
    return any(machine_of(source) == machine for source in others)


def _fills_host(observed: Observed, source: str) -> bool:
    """Whether several processes with a loop each left nothing of the machine."""
    processes = observed.track(source, "processes")
    many = processes is not None and processes.points[-1].value > 1.0
    host = observed.tracks("host", "cpu")
    whole = next((track for track in host if track.name == "cpu"), None)
    top = None if whole is None else whole.top(observed.break_per_s or 0.0)
    return many and top is not None and top.value > 1.0 - IDLE


def _is_one_threaded(observed: Observed, one: Consumer, peak: Point) -> bool:
    """Mostly one thread, and no pool of worker processes in which it is one of many."""
    cpu = one.cpu.at(peak.per_s)
    if cpu is None or observed.sources("php-fpm") or observed.sources("go"):
        return False
    return cpu.value <= CORES_MAX and peak.value >= ONE_THREADED * cpu.value


def _queue(observed: Observed) -> Track | None:
    unread = highest(observed.tracks("listen", "unread_connections", "max"), 0.0)
    return unread or highest(observed.tracks("node", "loop_delay_p99", "max"), 0.0)


def _floor(observed: Observed) -> float:
    return UNREAD_FLOOR if observed.tracks("listen", "unread_connections") else DELAY_FLOOR_MS


def _in_front(observed: Observed) -> tuple[Evidence, ...]:
    """What waited in front of the loop, and what the program itself knew of it."""
    break_per_s, rows = observed.break_per_s or 0.0, []
    for kind, name, says in (
        (
            "listen",
            "unread_connections",
            "with requests nobody had read yet: the queue in the kernel",
        ),
        ("node", "loop_delay_p99", "by which the loop came too late"),
        ("node", "in_flight", "requests the program itself knew of"),
    ):
        track = highest(observed.tracks(kind, name, "max"), break_per_s)
        top = None if track is None else track.top(break_per_s)
        if track is not None and top is not None:
            rows.append(row(track, top, says))
    return tuple(rows)


def _spare(observed: Observed) -> tuple[Evidence, ...]:
    """How much of the machine was left."""
    whole = next((t for t in observed.tracks("host", "cpu") if t.name == "cpu"), None)
    top = None if whole is None else whole.top(observed.break_per_s or 0.0)
    if whole is None or top is None:
        return ()
    return (row(whole, top, "of the machine as a whole"),)
