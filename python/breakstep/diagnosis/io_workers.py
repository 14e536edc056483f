"""Every worker was busy and none computed: they waited for something else.

    shown      busy workers ≥ 0.95 of all (of few 0.9) at the break or beyond, and no CPU 0.8 busy
    inferred   the service completes no more however much is offered, its CPU is under 0.6, and so
               it works on about X·W requests at once (Little's law), X the most it completed and W
               what a request takes alone; whether those are workers or connections cannot be told
    disk       a disk busy ≥ 0.9 with tasks waiting for it

What the workers waited for is read from the database and the disks, if they were sampled.
"""

from breakstep.analysis.words import percent
from breakstep.diagnosis.candidate import Candidate, Saturation, saturation, weight_of
from breakstep.diagnosis.cpu import busiest
from breakstep.diagnosis.evidence import fact, rate, row, rows_about
from breakstep.diagnosis.observed import Observed
from breakstep.diagnosis.pools import full_share
from breakstep.diagnosis.track import Track, highest
from breakstep.model.finding import Evidence

CPU_IDLE = 0.60
"""Of the fullest room: beyond it the CPU may have been the limit for part of the time."""
CPU_BUSY = 0.80
"""Workers that fill a core nearly are busy computing."""
QUEUE_FLOOR = 2.0
PLATEAU = 0.90
"""Completed to offered: less and the service has found its limit."""
DISK_FULL, DISK_PRESSURE = 0.90, 0.20
DOWNSTREAM = 0.5
"""Of the busy workers: so many active queries are what they wait for."""
REMEDY = (
    "Shorten what the workers wait for, or run more of them: the CPU has room. Mind the limits "
    "behind them, such as the database's connections."
)
EXPERIMENT = "double the workers: the breaking load has to double, until the CPU is full"


def io_workers(observed: Observed) -> Candidate | None:
    """Whether workers that wait were the limit."""
    return _workers(observed) or _disk(observed) or _by_littles_law(observed)


def _workers(observed: Observed) -> Candidate | None:
    for active in observed.tracks("php-fpm", "active"):
        workers = observed.track(active.source, "workers")
        queue = observed.track(active.source, "queue", "max")
        use = None if workers is None else active.over(workers)
        found = None if use is None else saturation(observed, use, queue, QUEUE_FLOOR)
        size = 0.0 if workers is None else workers.points[-1].value
        if workers is None or use is None or found is None or size <= 0.0:
            continue
        weight = weight_of(observed, found, full_share(size))
        if weight is None:
            continue
        fullest = busiest(observed)
        computing = fullest is not None and fullest.value >= CPU_BUSY
        return Candidate(
            kind="io_workers",
            resource=active.source,
            weight="possible" if computing else weight,
            says=f"{_busy(found, size)} of {active.source} were busy, "
            f"waiting{_for(observed, size)} rather than computing.",
            evidence=(
                row(use, found.peak, f"the share of {size:g} workers that were busy"),
                *_queued(queue, observed),
                *_takes(active, observed),
                *_cpu(observed),
                *_downstream(observed, size),
                *rows_about(found, use, "a worker", size),
            ),
            remedy=REMEDY,
            experiment=EXPERIMENT,
            saturation=found,
            at_most="high" if fullest is not None and fullest.value < CPU_IDLE else "medium",
        )
    return None


def _busy(found: Saturation, size: float) -> str:
    if found.peak.value >= full_share(size):
        return f"All {size:g} workers"
    return f"{found.peak.value * size:.3g} of the {size:g} workers"


def _disk(observed: Observed) -> Candidate | None:
    break_per_s = observed.break_per_s or 0.0
    disk = highest(observed.tracks("host", "disk_busy"), break_per_s)
    pressure = highest(observed.tracks("host", "io_pressure"), break_per_s)
    found = None if disk is None else saturation(observed, disk, pressure, DISK_PRESSURE)
    waited = None if pressure is None else pressure.top(break_per_s)
    if disk is None or pressure is None or found is None or waited is None:
        return None
    if found.peak.value < DISK_FULL or waited.value < DISK_PRESSURE:
        return None
    return Candidate(
        kind="io_workers",
        resource=disk.title,
        weight="shown",
        says=f"The disk was busy all the time ({disk.title}) and tasks waited for it.",
        evidence=(
            row(disk, found.peak, "of the time the disk had work"),
            row(pressure, waited, "of the time a task waited for a disk"),
        ),
        remedy="Read and write less in a request, add memory for the cache, or use a faster disk.",
        experiment="keep the data in memory: the breaking load has to rise",
        saturation=found,
        at_most="medium",
    )


def _by_littles_law(observed: Observed) -> Candidate | None:
    """A plateau with an idle CPU: so many at once, whatever they are."""
    broken, fullest = observed.broken, busiest(observed)
    if broken is None or fullest is None or fullest.value >= CPU_IDLE:
        return None
    lightest = min(observed.valid, key=lambda seen: seen.step.offered_per_s).step
    alone_ms = lightest.service_ms.p50
    lowest = broken.offered_per_s == lightest.offered_per_s
    if alone_ms is None or lowest or not _plateaued(observed):
        return None
    most = max(seen.step.completed_per_s for seen in observed.valid)
    at_once = most * alone_ms / 1000.0
    says = (
        f"it completed at most {rate(most)} whatever was offered, and a request takes "
        f"{alone_ms:.3g} ms alone: about {at_once:.3g} at once (X·W)"
    )
    return Candidate(
        kind="io_workers",
        resource=None,
        weight="inferred",
        says=f"The service works on about {at_once:.3g} requests at once and its CPU was idle: "
        "workers, or connections of a pool, that wait.",
        evidence=(fact("client X·W", at_once, "count", broken.index, says), *_cpu(observed)),
        remedy=REMEDY,
        experiment="raise the workers and then the pool, one at a time, and see which moves it",
    )


def _plateaued(observed: Observed) -> bool:
    """Whether the highest load was more than the service completes."""
    step = max(observed.valid, key=lambda seen: seen.step.offered_per_s).step
    length_s = step.window_to - step.window_from
    few = step.completed_per_s * length_s < PLATEAU * step.arrivals
    return few or step.queue == "growing"


def _cpu(observed: Observed) -> tuple[Evidence, ...]:
    fullest = busiest(observed)
    if fullest is None:
        return ()
    says = f"the fullest CPU it could use was {percent(fullest.value)} busy"
    return (fact("fullest CPU", fullest.value, "share", fullest.step, says),)


def _queued(queue: Track | None, observed: Observed) -> tuple[Evidence, ...]:
    top = None if queue is None else queue.top(observed.break_per_s or 0.0)
    if queue is None or top is None or top.value <= 0.0:
        return ()
    return (row(queue, top, "waiting for a worker"),)


def _takes(active: Track, observed: Observed) -> tuple[Evidence, ...]:
    """How long a worker is held by a request: active / accepted."""
    accepted = observed.track(active.source, "accepted")
    took = None if accepted is None else active.over(accepted)
    top = None if took is None else took.top(observed.break_per_s or 0.0)
    if top is None:
        return ()
    held_ms = 1000.0 * top.value
    says = f"a request holds a worker for {held_ms:.3g} ms (active / accepted)"
    return (fact(f"{active.source} active/accepted", held_ms, "ms", top.step, says),)


def _downstream(observed: Observed, workers: float) -> tuple[Evidence, ...]:
    """What the workers waited for: queries, or a disk."""
    break_per_s, rows = observed.break_per_s or 0.0, []
    queries = highest(observed.tracks("postgres", "active"), break_per_s)
    top = None if queries is None else queries.top(break_per_s)
    if queries is not None and top is not None and top.value >= DOWNSTREAM * workers:
        rows.append(row(queries, top, "active queries, which the workers wait for"))
    pressure = highest(observed.tracks("host", "io_pressure"), break_per_s)
    waited = None if pressure is None else pressure.top(break_per_s)
    if pressure is not None and waited is not None and waited.value >= DISK_PRESSURE:
        rows.append(row(pressure, waited, "of the time some task waited for a disk"))
    return tuple(rows)


def _for(observed: Observed, workers: float) -> str:
    found = _downstream(observed, workers)
    if not found:
        return ""
    return " for the database" if "active" in found[0].signal else " for the disk"
