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

from breakstep.diagnosis.candidate import NEARLY
from breakstep.diagnosis.consumers import Consumer, by_use, consumers, generator_of
from breakstep.diagnosis.host_rooms import rooms_of_host
from breakstep.diagnosis.observed import Observed
from breakstep.diagnosis.roles import Role, role_of
from breakstep.diagnosis.room import FULL, Room, room_of
from breakstep.diagnosis.track import Point
from breakstep.model.signal import label_of


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


def _quotas(observed: Observed) -> tuple[Room, ...]:
    found: list[Room] = []
    for track in observed.tracks("cgroup", "cpu"):
        quota = observed.track(track.source, "quota")
        if quota is not None:
            group = Consumer(track.source, "cgroup", role_of(observed, track.source), track)
            cores = f"{quota.points[-1].value:.3g} cores"
            found += room_of(observed, f"its quota of {cores}", track.over(quota), group)
    return tuple(found)


def _go(observed: Observed) -> tuple[Room, ...]:
    """GOMAXPROCS of a Go program, against the only app whose CPU was sampled."""
    limits = observed.tracks("go", "gomaxprocs")
    apps = [one for one in consumers(observed) if one.role == "app"]
    if len(limits) != 1 or len(apps) != 1:
        return ()
    cores = limits[0].points[-1].value
    return room_of(observed, f"its GOMAXPROCS of {cores:g}", apps[0].cpu.over(limits[0]), apps[0])


def _backends(observed: Observed, known: Sequence[Consumer]) -> tuple[Room, ...]:
    """One process of a database: a query runs in one, Redis does all its work in one."""
    found: list[Room] = []
    for one in known:
        if one.kind == "redis":
            found += room_of(observed, "its one main thread", one.cpu.scaled(1.0), one)
        if one.role == "database" and one.kind == "process":
            process = observed.track(one.source, "busiest_process")
            if process is not None:
                found += room_of(observed, "one of its processes", process, one)
    return tuple(found)


def _shared(observed: Observed, known: Sequence[Consumer]) -> tuple[Room, ...]:
    """Every host that was sampled, or where that has room, its cores."""
    known = (*known, *generator_of(observed))
    hosts = [track for track in observed.tracks("host", "cpu") if not label_of(track.name)]
    if not hosts:
        return _without_host(observed, known)
    return tuple(room for host in hosts for room in rooms_of_host(observed, host, known))


def _without_host(observed: Observed, known: Sequence[Consumer]) -> tuple[Room, ...]:
    """All cores of this machine, where the target runs on it and nobody looked at the host."""
    ordered = by_use(observed, known)
    if not observed.local or observed.cores is None or not ordered:
        return ()
    name = "its core" if observed.cores == 1 else f"the {observed.cores} cores"
    return room_of(observed, name, ordered[0].cpu.scaled(float(observed.cores)), ordered[0])
