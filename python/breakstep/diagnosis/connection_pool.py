"""Every connection of a pool was in use and requests waited for one, with the database at leisure.

    shown      busy ≥ 0.95 of the pool's size (of few 0.9) at the break or beyond, and somebody
               waited (pools.py); or it is forecast to fill up where the service breaks, and its
               queue had risen
    possible   0.6 to 0.95 busy, and somebody waited

That the database itself was not full is for the ranking to see: then the pool is a symptom. Where
nobody looked at the database's CPU the finding is at most of medium confidence. What the
connections were waiting for (locks, disk) is a row of evidence and changes the remedy.
"""

from breakstep.analysis.words import percent
from breakstep.diagnosis.candidate import Candidate
from breakstep.diagnosis.consumers import consumers
from breakstep.diagnosis.database_cpu import slower_queries
from breakstep.diagnosis.evidence import row, rows_about
from breakstep.diagnosis.observed import Observed
from breakstep.diagnosis.pools import BusyPool, busy_pools, full_share
from breakstep.model.finding import Evidence

LEISURE = 0.7
"""Of a core: more may be all of the one it runs on, where nobody looked at the cores."""
HELD_UP = 0.5
"""Of the active queries: so many waiting for one thing are its doing."""
REMEDY = (
    "Shorten what holds a connection (transactions, calls made while holding it), or enlarge the "
    "pool: the database has CPU to spare."
)
LOCK_REMEDY = "Look at what holds the locks: the connections wait for each other, not for CPU."
EXPERIMENT = "raise the pool's size by half: the breaking load has to rise by about as much"


def connection_pool(observed: Observed) -> Candidate | None:
    """Whether a pool of connections was the limit."""
    return next((_candidate(observed, busy) for busy in busy_pools(observed)), None)


def _candidate(observed: Observed, busy: BusyPool) -> Candidate:
    pool, found = busy.pool, busy.found
    held_up, leisure = _held_up(observed), _leisure(observed)
    rows = (
        row(pool.use, found.peak, f"the share of the {pool.size:g} connections that were in use"),
        row(pool.waiting, busy.waited, "waiting for a connection"),
    )
    about = rows_about(found, pool.use, "a connection", pool.size)
    return Candidate(
        kind="connection_pool",
        resource=pool.name,
        weight=busy.weight,
        says=f"{_full(busy)} connections of {pool.name} were in use and requests waited for "
        f"one{_because(held_up)}.",
        evidence=(*rows, *leisure, *held_up, *slower_queries(observed), *about),
        remedy=LOCK_REMEDY if held_up else REMEDY,
        experiment=EXPERIMENT,
        saturation=found,
        at_most="high" if leisure else "medium",
    )


def _full(busy: BusyPool) -> str:
    size, peak = busy.pool.size, busy.found.peak.value
    return f"All {size:g}" if peak >= full_share(size) else f"{peak * size:.3g} of the {size:g}"


def _leisure(observed: Observed) -> tuple[Evidence, ...]:
    """The database's CPU, where it is known not to have been all it could have."""
    for one in consumers(observed):
        used = one.cpu.top(observed.break_per_s or 0.0)
        if one.role != "database" or used is None:
            continue
        if used.value < LEISURE or observed.sources("host"):
            return (row(one.cpu, used, "used by the database, which had more"),)
    return ()


def _held_up(observed: Observed) -> tuple[Evidence, ...]:
    """What most active queries waited for, if it was a lock or the disk."""
    for active in observed.tracks("postgres", "active"):
        for name, what in (("waiting_lock", "a lock"), ("waiting_io", "the disk")):
            waiting = observed.track(active.source, name)
            share = None if waiting is None else waiting.over(active)
            top = None if share is None else share.top(observed.break_per_s or 0.0)
            if share is not None and top is not None and top.value >= HELD_UP:
                return (
                    row(share, top, f"{percent(top.value)} of active queries waited for {what}"),
                )
    return ()


def _because(held_up: tuple[Evidence, ...]) -> str:
    return ", most queries waiting for something else" if held_up else ""
