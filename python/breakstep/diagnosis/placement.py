"""On which core each program ran, if each kept to one: the placement that explains the cores best.

    busy_c(λ) ≈ Σ use_p(λ) over the programs p placed on core c

All placements are tried; the one with the least squared error over all loads wins, and counts if
no core is off by more than 0.15 on the mean. Programs that wander over cores fit no placement.
"""

from collections.abc import Sequence
from itertools import product
from math import sqrt

from breakstep.diagnosis.track import Track

TOLERANCE = 0.15
"""Of a core: what else runs there, and clocks that tick apart."""
TRIED_MAX = 5_000
"""Placements; more programs and cores than that are not placed."""


def placement(cores: Sequence[Track], uses: Sequence[Track]) -> tuple[int, ...] | None:
    """The core of each program, by position; None where none fits. Tracks in cores and shares."""
    if not cores or not uses or len(cores) ** len(uses) > TRIED_MAX:
        return None
    loads = _common_loads([*cores, *uses])
    if not loads:
        return None
    busy = [[_value(core, load) for load in loads] for core in cores]
    used = [[_value(use, load) for load in loads] for use in uses]
    tried = product(range(len(cores)), repeat=len(uses))
    best = min(tried, key=lambda placed: sum(_errors(busy, used, placed)))
    worst = max(_errors(busy, used, best))
    return best if sqrt(worst / len(loads)) <= TOLERANCE else None


def _errors(
    busy: Sequence[Sequence[float]], used: Sequence[Sequence[float]], placed: Sequence[int]
) -> list[float]:
    """The squared error of each core over the loads."""
    errors = []
    for core, wanted in enumerate(busy):
        here = [use for use, at in zip(used, placed, strict=True) if at == core]
        sums = [sum(values) for values in zip(*here, strict=True)] if here else [0.0] * len(wanted)
        errors.append(sum((w - s) ** 2 for w, s in zip(wanted, sums, strict=True)))
    return errors


def _common_loads(tracks: Sequence[Track]) -> list[float]:
    """The loads at which all were sampled."""
    first = [point.per_s for point in tracks[0].points]
    return [load for load in first if all(track.at(load) is not None for track in tracks)]


def _value(track: Track, load: float) -> float:
    point = track.at(load)
    return 0.0 if point is None else point.value
