"""Whose CPU was full: the rooms a program computes in, and which program filled each.

    room                              full when                       filled by
    a control group's quota           cpu / quota ≥ 0.9               that group
    GOMAXPROCS                        cpu / gomaxprocs ≥ 0.9          the Go program
    one process of a database         its CPU ≥ 0.9 of a core         that database
    the whole host                    busy ≥ 0.9                      the program that used most
    one core                          busy ≥ 0.9                      the program placed there
                                                                      (see placement.py), else
                                                                      the one that used most

A program's own CPU does not say how much it could have had: beside others on a core, 0.8 of it may
be all there was. So the room's business is what is held against the limit, and the program's own
use says whose it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

from breakstep.diagnosis.candidate import NEARLY
from breakstep.diagnosis.observed import Observed
from breakstep.diagnosis.placement import placement
from breakstep.diagnosis.roles import Role, machine_of, role_of
from breakstep.diagnosis.track import Point, Track
from breakstep.model.signal import label_of

FULL = 0.90
"""Of a room. Random arrivals leave gaps, and a sample is half a second: at a break by queueing a
single core shows 0.9 to 1."""
DOMINANT = 0.5
"""Of a core: who used less of a full one did not fill it alone."""
FITS_A_CORE = 1.15
"""What a program held to one core may seem to use, for two clocks that do not tick together."""
RIVAL = 0.75
"""A second program that used so much of what the first did could as well be the one."""


@dataclass(frozen=True, slots=True)
class Consumer:
    """A program whose CPU was sampled, in cores."""

    source: str
    kind: str
    role: Role
    cpu: Track


@dataclass(frozen=True, slots=True)
class Room:
    """CPU with a limit, and who used most of it; `business` is a share.

    `consumer` is None where no probed program used most of it.
    """

    name: str
    business: Track
    peak: Point
    consumer: Consumer | None

    @property
    def full(self) -> bool:
        """Whether nothing was left."""
        return self.peak.value >= FULL


def consumers(observed: Observed) -> tuple[Consumer, ...]:
    """Each program once; of two probes of one program the first in this order counts."""
    found: list[Consumer] = []
    for kind in ("process", "postgres", "redis", "node"):
        whole = (track for track in observed.tracks(kind, "cpu") if not label_of(track.name))
        found += [Consumer(t.source, kind, _role(observed, t), t) for t in whole]
    return tuple(one for k, one in enumerate(found) if not _again(observed, one, found[:k]))


def rooms(observed: Observed) -> tuple[Room, ...]:
    """Every room that was sampled at the break, its own limits first."""
    known = consumers(observed)
    own = (*_quotas(observed), *_go(observed), *_backends(observed, known))
    return (*own, *_shared(observed, known))


def full_rooms(observed: Observed) -> tuple[Room, ...]:
    """The full ones, one for each program: the tightest."""
    taken: list[Room] = []
    for room in rooms(observed):
        if room.full and (room.consumer is None or room.consumer not in _who(taken)):
            taken.append(room)
    return tuple(taken)


def nearly_full(observed: Observed, *roles: Role) -> Room | None:
    """The fullest room that is not full and that a program of these roles used most of."""
    used = [r for r in rooms(observed) if r.consumer is not None and r.consumer.role in roles]
    near = [room for room in used if NEARLY <= room.peak.value < FULL]
    return max(near, key=lambda room: room.peak.value, default=None)


def busiest(observed: Observed) -> Point | None:
    """The fullest room but the generator's own; None where no CPU was sampled at the break."""
    mine = "generator"
    every = rooms(observed)
    peaks = [room.peak for room in every if room.consumer is None or room.consumer.role != mine]
    return max(peaks, key=lambda point: point.value, default=None)


def is_full(observed: Observed) -> bool:
    """Whether any room, event loop or thread had nothing left."""
    threads = [*observed.tracks("node", "loop_utilisation")]
    threads += observed.tracks("process", "busiest_thread")
    tops = [track.top(observed.break_per_s or 0.0) for track in threads]
    return bool(full_rooms(observed)) or any(top and top.value >= FULL for top in tops)


def _who(taken: Sequence[Room]) -> list[Consumer | None]:
    return [room.consumer for room in taken]


def _role(observed: Observed, track: Track) -> Role:
    if track.kind in ("postgres", "redis"):
        return "database"
    return "app" if track.kind == "node" else role_of(observed, track.source)


def _again(observed: Observed, one: Consumer, before: Sequence[Consumer]) -> bool:
    """Whether a process probe watches the same program; told by what they use."""
    return any(
        other.role == one.role
        and other.kind == "process" != one.kind
        and _alike(observed, one.cpu, other.cpu)
        for other in before
    )


def _alike(observed: Observed, one: Track, other: Track) -> bool:
    """Within a quarter of one another where the load was highest."""
    break_per_s = observed.break_per_s or 0.0
    here, there = one.top(break_per_s), other.top(break_per_s)
    if here is None or there is None:
        return True
    return abs(here.value - there.value) <= 0.25 * max(here.value, there.value)


def _room(
    observed: Observed, name: str, business: Track, consumer: Consumer | None
) -> tuple[Room, ...]:
    break_per_s = observed.break_per_s
    peak = None if break_per_s is None else business.top(break_per_s)
    return () if peak is None else (Room(name, business, peak, consumer),)


def _quotas(observed: Observed) -> tuple[Room, ...]:
    found: list[Room] = []
    for track in observed.tracks("cgroup", "cpu"):
        quota = observed.track(track.source, "quota")
        if quota is not None:
            group = Consumer(track.source, "cgroup", role_of(observed, track.source), track)
            cores = f"{quota.points[-1].value:.3g} cores"
            found += _room(observed, f"its quota of {cores}", track.over(quota), group)
    return tuple(found)


def _go(observed: Observed) -> tuple[Room, ...]:
    """GOMAXPROCS of a Go program, against the only app whose CPU was sampled."""
    limits = observed.tracks("go", "gomaxprocs")
    apps = [one for one in consumers(observed) if one.role == "app"]
    if len(limits) != 1 or len(apps) != 1:
        return ()
    cores = limits[0].points[-1].value
    return _room(observed, f"its GOMAXPROCS of {cores:g}", apps[0].cpu.over(limits[0]), apps[0])


def _backends(observed: Observed, known: Sequence[Consumer]) -> tuple[Room, ...]:
    """One process of a database: a query runs in one, Redis does all its work in one."""
    found: list[Room] = []
    for one in known:
        if one.kind == "redis":
            found += _room(observed, "its one main thread", one.cpu.scaled(1.0), one)
        if one.role == "database" and one.kind == "process":
            process = observed.track(one.source, "busiest_process")
            if process is not None:
                found += _room(observed, "one of its processes", process, one)
    return tuple(found)


def _shared(observed: Observed, known: Sequence[Consumer]) -> tuple[Room, ...]:
    """Every host that was sampled, or where that has room, its cores."""
    known = (*known, *_generator(observed))
    hosts = [track for track in observed.tracks("host", "cpu") if not label_of(track.name)]
    if not hosts:
        return _without_host(observed, known)
    return tuple(room for host in hosts for room in _of_host(observed, host, known))


def _of_host(observed: Observed, host: Track, known: Sequence[Consumer]) -> tuple[Room, ...]:
    """The programs of a host fill that host and no other."""
    machine = machine_of(host.source)
    known = [one for one in known if machine_of(one.source) == machine]
    whole = _room(observed, f"all cores of {host.source}", host, None)
    if whole and whole[0].full:
        filled = [_room(observed, whole[0].name, host, one) for one in _leaders(observed, known)]
        return tuple(room for found in filled for room in found) or whole
    most = next(iter(_leaders(observed, known)), None)
    return (
        *_cores(observed, known, host.source),
        *(replace(room, consumer=most) for room in whole),
    )


def _generator(observed: Observed) -> tuple[Consumer, ...]:
    """The generator itself, where the target runs on its machine."""
    if not observed.local:
        return ()
    shares = {k: seen.step.generator.cpu_share for k, seen in enumerate(observed.valid)}
    cpu = observed.of_steps("generator cpu", "cores", shares)
    return (Consumer("generator", "generator", "generator", cpu),)


def _without_host(observed: Observed, known: Sequence[Consumer]) -> tuple[Room, ...]:
    """All cores of this machine, where the target runs on it and nobody looked at the host."""
    ordered = _by_use(observed, known)
    if not observed.local or observed.cores is None or not ordered:
        return ()
    name = "its core" if observed.cores == 1 else f"the {observed.cores} cores"
    return _room(observed, name, ordered[0].cpu.scaled(float(observed.cores)), ordered[0])


def _leaders(observed: Observed, known: Sequence[Consumer]) -> list[Consumer]:
    """Who used most, and who used nearly as much."""
    ordered = _by_use(observed, known)
    most = _use(observed, ordered[0]) if ordered else 0.0
    return [one for one in ordered if most > 0.0 and _use(observed, one) >= RIVAL * most]


def _cores(observed: Observed, known: Sequence[Consumer], host: str) -> tuple[Room, ...]:
    """Each core with the program that used most of it, the fullest first."""
    tracks = [
        track
        for track in observed.tracks("host", "cpu")
        if track.source == host and label_of(track.name)
    ]
    found = [room for t in tracks for room in _room(observed, _core_name(t), t, None)]
    found.sort(key=lambda room: -room.peak.value)
    full = [room for room in found if room.full]
    owners = _placed(observed, tracks, found, known) or _by_size(observed, full, known)
    owners = [*owners, *([None] * len(found))][: len(found)]
    named = [replace(room, consumer=one) for room, one in zip(found, owners, strict=True)]
    return tuple(named)


def _core_name(track: Track) -> str:
    return f"core {label_of(track.name).removeprefix('core=')} of {track.source}"


def _placed(
    observed: Observed, tracks: Sequence[Track], cores: Sequence[Room], known: Sequence[Consumer]
) -> list[Consumer | None]:
    """By placement: the largest of those on the core, if it used half of it; else empty."""
    ordered = _by_use(observed, known)
    placed = placement(tracks, [one.cpu for one in ordered])
    if placed is None:
        return []
    pairs = list(zip(ordered, placed, strict=True))
    on = [[one for one, at in pairs if tracks[at] is room.business] for room in cores]
    return [
        next((one for one in here if _use(observed, one) >= DOMINANT * room.peak.value), None)
        for here, room in zip(on, cores, strict=True)
    ]


def _by_size(
    observed: Observed, full: Sequence[Room], known: Sequence[Consumer]
) -> list[Consumer | None]:
    """The programs by what they used, each for as many cores as that takes."""
    filling: list[Consumer | None] = []
    for one in _by_use(observed, known):
        used = _use(observed, one)
        if DOMINANT <= used <= FITS_A_CORE * len(full):
            filling += [one] * ceil(used / FITS_A_CORE)
    return [*filling, *([None] * len(full))][: len(full)]


def _by_use(observed: Observed, known: Sequence[Consumer]) -> list[Consumer]:
    return sorted(known, key=lambda one: -_use(observed, one))


def _use(observed: Observed, one: Consumer) -> float:
    top = one.cpu.top(observed.break_per_s or 0.0)
    return 0.0 if top is None else top.value
