"""The rooms that programs share: a whole host, or its cores while it has room."""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

from breakstep.diagnosis.consumers import Consumer, by_use, use
from breakstep.diagnosis.observed import Observed
from breakstep.diagnosis.placement import placement
from breakstep.diagnosis.roles import machine_of
from breakstep.diagnosis.room import Room, room_of
from breakstep.diagnosis.track import Track
from breakstep.model.signal import label_of

DOMINANT = 0.5
"""Of a core: who used less of a full one did not fill it alone."""
LEADING = 0.35
"""Of the CPU used on a host: who used less did not fill it."""
FITS_A_CORE = 1.15
"""What a program held to one core may seem to use, for two clocks that do not tick together."""
RIVAL = 0.75
"""A second program that used so much of what the first did could as well be the one."""


def rooms_of_host(observed: Observed, host: Track, known: Sequence[Consumer]) -> tuple[Room, ...]:
    """The programs of a host fill that host and no other."""
    machine = machine_of(host.source)
    known = [one for one in known if machine_of(one.source) == machine]
    whole = room_of(observed, f"all cores of {host.source}", host, None)
    leaders = _leaders(observed, known, LEADING * (used_cores(observed, host) or 0.0))
    if whole and whole[0].full:
        filled = [room_of(observed, whole[0].name, host, one) for one in leaders]
        return tuple(room for found in filled for room in found) or whole
    most = next(iter(leaders), None)
    return (
        *_cores(observed, known, host.source),
        *(replace(room, consumer=most) for room in whole),
    )


def used_cores(observed: Observed, host: Track) -> float | None:
    """The cores of a host that were busy when most were; None if their number is not known."""
    top = host.top(observed.break_per_s or 0.0)
    counted = observed.track(host.source, "cores")
    each = [t for t in observed.tracks("host", "cpu") if t.source == host.source]
    cores = counted.points[-1].value if counted is not None else float(len(each) - 1)
    return top.value * cores if top is not None and cores >= 1.0 else None


def _leaders(observed: Observed, known: Sequence[Consumer], least: float) -> list[Consumer]:
    """Who used most, at least so many cores, and who used nearly as much."""
    ordered = by_use(observed, known)
    most = use(observed, ordered[0]) if ordered else 0.0
    led = most > 0.0 and most >= least
    return [one for one in ordered if led and use(observed, one) >= RIVAL * most]


def _cores(observed: Observed, known: Sequence[Consumer], host: str) -> tuple[Room, ...]:
    """Each core with the program that used most of it, the fullest first."""
    tracks = [
        track
        for track in observed.tracks("host", "cpu")
        if track.source == host and label_of(track.name)
    ]
    found = [room for t in tracks for room in room_of(observed, _core_name(t), t, None)]
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
    ordered = by_use(observed, known)
    placed = placement(tracks, [one.cpu for one in ordered])
    if placed is None:
        return []
    pairs = list(zip(ordered, placed, strict=True))
    on = [[one for one, at in pairs if tracks[at] is room.business] for room in cores]
    return [
        next((one for one in here if use(observed, one) >= DOMINANT * room.peak.value), None)
        for here, room in zip(on, cores, strict=True)
    ]


def _by_size(
    observed: Observed, full: Sequence[Room], known: Sequence[Consumer]
) -> list[Consumer | None]:
    """The programs by what they used, each for as many cores as that takes."""
    filling: list[Consumer | None] = []
    for one in by_use(observed, known):
        used = use(observed, one)
        if DOMINANT <= used <= FITS_A_CORE * len(full):
            filling += [one] * ceil(used / FITS_A_CORE)
    return [*filling, *([None] * len(full))][: len(full)]
