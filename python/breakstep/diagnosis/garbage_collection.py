"""The collector took the CPU: memory is allocated faster than it can be cleaned beside the work.

    shown      a fifth or more of the CPU went into collecting, and the CPU (or the loop) was full
    possible   a tenth or more; or the CPU of a program with a collector was full and nobody looked
               at it

Pauses need not be long: assists and marking take CPU while requests run.
"""

from breakstep.analysis.words import percent
from breakstep.diagnosis.candidate import Candidate, Weight, saturation
from breakstep.diagnosis.cpu import full_rooms
from breakstep.diagnosis.evidence import row
from breakstep.diagnosis.observed import Observed
from breakstep.diagnosis.roles import is_collected, program_names
from breakstep.diagnosis.room import FULL
from breakstep.diagnosis.track import Track, highest
from breakstep.model.finding import Evidence

SHARE = 0.20
"""Of the CPU. A quarter is what Go marks with while a cycle runs: this is a cycle nearly always."""
SUSPECT = 0.10
NEARLY_FULL = 0.80
"""Of the CPU the program may use; collecting is done beside the work as long as some is left."""
REMEDY = (
    "Allocate less in the path of a request (reuse buffers, share what does not change), or give "
    "the collector more memory (GOGC, heap size)."
)
EXPERIMENT = "double the heap the collector may use: the breaking load has to rise"


def garbage_collection(observed: Observed) -> Candidate | None:
    """Whether collecting was what the CPU was full with."""
    shares = [*observed.tracks("go", "gc"), *observed.tracks("node", "gc")]
    share = highest(shares, observed.break_per_s or 0.0)
    if share is None:
        return _unseen(observed)
    found = saturation(observed, share, None, 0.0)
    if found is None or found.peak.value < SUSPECT:
        return None
    busy = _busy(observed, share)
    weight: Weight = "shown" if found.peak.value >= SHARE and busy else "possible"
    says = f"{percent(found.peak.value)} of its CPU went into collecting garbage"
    return Candidate(
        kind="garbage_collection",
        resource=share.source,
        weight=weight,
        says=f"The garbage collector of {share.source} took the CPU: {says}.",
        evidence=(
            row(share, found.peak, "the share of its CPU that went into collecting"),
            *busy,
            *_more(observed),
        ),
        remedy=REMEDY,
        experiment=EXPERIMENT,
        confidence="high" if weight == "shown" and len(share.points) > 1 else None,
    )


def _busy(observed: Observed, share: Track) -> tuple[Evidence, ...]:
    """That there was no CPU left to collect with beside the work."""
    rows = [
        row(room.business, room.peak, f"how busy {room.name} was")
        for room in full_rooms(observed)
        if room.consumer is not None and room.consumer.role == "app"
    ]
    loop = highest(observed.tracks("node", "loop_utilisation"), observed.break_per_s or 0.0)
    top = None if loop is None else loop.top(observed.break_per_s or 0.0)
    if loop is not None and top is not None and share.kind == "node" and top.value >= FULL:
        rows.append(row(loop, top, "how busy the event loop was"))
    return tuple(rows[:1]) or _program(observed, share)


def _program(observed: Observed, share: Track) -> tuple[Evidence, ...]:
    """A Go program near the cores it may use."""
    limit = observed.track(share.source, "gomaxprocs")
    for cpu in observed.tracks("process", "cpu") if limit is not None else ():
        near = cpu.over(limit).top(observed.break_per_s or 0.0) if limit is not None else None
        if cpu.name == "cpu" and near is not None and near.value >= NEARLY_FULL:
            return (row(cpu.over(limit), near, "of the cores that it may use"),) if limit else ()
    return ()


def _more(observed: Observed) -> tuple[Evidence, ...]:
    """Assists and pauses."""
    rows = []
    for kind, name, says in (
        ("go", "gc_assist", "by requests that had to help to collect"),
        ("go", "gc_pause", "of the time in which the world stood still"),
        ("node", "gc_pause_max", "the longest pause"),
    ):
        track = highest(observed.tracks(kind, name, "max"), observed.break_per_s or 0.0)
        top = None if track is None else track.top(observed.break_per_s or 0.0)
        if track is not None and top is not None and top.value > 0.0:
            rows.append(row(track, top, says))
    return tuple(rows)


def _unseen(observed: Observed) -> Candidate | None:
    """The full CPU of a program that collects, with nobody looking at its collector."""
    for room in full_rooms(observed):
        one = room.consumer
        if one is None or one.role != "app":
            continue
        if is_collected(" ".join((one.source, *program_names(observed, one.source)))):
            return Candidate(
                kind="garbage_collection",
                resource=one.source,
                weight="possible",
                says=f"How much of the CPU of {one.source} went into collecting garbage was not "
                "sampled.",
                evidence=(),
                remedy=REMEDY,
                experiment=EXPERIMENT,
            )
    return None
