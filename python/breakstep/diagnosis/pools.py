"""The pools of connections that were sampled: of the app, of PgBouncer, of a proxy's servers."""

from collections.abc import Sequence
from dataclasses import dataclass

from breakstep.diagnosis.candidate import Saturation, Weight, saturation, weight_of
from breakstep.diagnosis.observed import Observed
from breakstep.diagnosis.track import Point, Track
from breakstep.model.signal import label_of

FULL, FULL_OF_FEW, HALF_A_PLACE = 0.95, 0.90, 0.5
"""Of the size, on the mean of a window: a place is handed on in no time. Of few, one that is free
for a moment weighs more: half a place may be missing, down to 0.9."""
WAITING = 1.0
WAITING_FLOOR = 2.0
_KINDS = (
    ("node", "pool_busy", "pool_size", "pool_waiting"),
    ("pgbouncer", "servers_active", "pool_size", "clients_waiting"),
    ("haproxy", "sessions", "sessions_limit", "queue"),
)


@dataclass(frozen=True, slots=True)
class Pool:
    """A pool: its use as a share of `size`, and those that waited for it."""

    name: str
    use: Track
    waiting: Track
    size: float


@dataclass(frozen=True, slots=True)
class BusyPool:
    """A pool that was full or nearly, with somebody waiting, at the break or beyond."""

    pool: Pool
    found: Saturation
    waited: Point
    weight: Weight


def full_share(size: float) -> float:
    """From which share on so many places are full.

    >>> full_share(5), full_share(8), full_share(100)
    (0.9, 0.9375, 0.95)
    """
    return min(FULL, max(FULL_OF_FEW, 1.0 - HALF_A_PLACE / size))


def busy_pools(observed: Observed) -> tuple[BusyPool, ...]:
    """The busy ones: those that were full first, then those with the longest queue."""
    busy = (_busy(observed, pool) for pool in _pools(observed))
    found = [one for one in busy if one is not None]
    return tuple(sorted(found, key=lambda one: (one.weight != "shown", -one.waited.value)))


def _busy(observed: Observed, pool: Pool) -> BusyPool | None:
    found = saturation(observed, pool.use, pool.waiting, WAITING_FLOOR)
    waited = pool.waiting.top(observed.break_per_s or 0.0)
    weight = None if found is None else weight_of(observed, found, full_share(pool.size))
    if found is None or waited is None or weight is None or waited.value < WAITING:
        return None
    return BusyPool(pool, found, waited, weight)


def _pools(observed: Observed) -> Sequence[Pool]:
    found = []
    for kind, busy, size, waiting in _KINDS:
        for track in observed.tracks(kind, busy):
            limit = observed.track(track.source, track.name.replace(busy, size, 1))
            queue = observed.track(track.source, track.name.replace(busy, waiting, 1), "max")
            if limit is None or queue is None or limit.points[-1].value <= 0.0:
                continue
            found.append(Pool(_name(track), track.over(limit), queue, limit.points[-1].value))
    return found


def _name(track: Track) -> str:
    label = label_of(track.name)
    return f"{track.source} {label.replace('=', ' ').replace(',', ' ')}" if label else track.source
