"""On which core each program ran."""

import numpy as np

from breakstep.diagnosis.placement import placement
from breakstep.diagnosis.track import Point, Track

LOADS = (50.0, 100.0, 150.0, 200.0)


def _track(*values: float) -> Track:
    points = tuple(Point(load, value, 0) for load, value in zip(LOADS, values, strict=False))
    return Track("x", "process", "cpu", "cores", points)


def test_pinned_programs_are_placed_by_what_the_cores_did() -> None:
    """The app used more than the database, which is on the fuller core with the generator."""
    app, database, generator = (
        _track(0.2, 0.4, 0.6, 0.7),
        _track(0.15, 0.3, 0.45, 0.6),
        _track(0.1, 0.2, 0.3, 0.38),
    )
    cores = [_track(0.26, 0.51, 0.76, 0.99), _track(0.21, 0.41, 0.61, 0.72)]
    assert placement(cores, [app, database, generator]) == (1, 0, 0)


def test_scatter_does_not_move_them() -> None:
    """Two hundredths of a core, a hundred times."""
    random = np.random.default_rng(5)

    def noisy(*values: float) -> Track:
        return _track(*(value + 0.02 * random.standard_normal() for value in values))

    for _ in range(100):
        uses = [noisy(0.2, 0.4, 0.6, 0.8), noisy(0.1, 0.15, 0.2, 0.25)]
        cores = [noisy(0.12, 0.17, 0.22, 0.27), noisy(0.22, 0.42, 0.62, 0.82)]
        assert placement(cores, uses) == (1, 0)


def test_programs_that_wander_are_not_placed() -> None:
    """One program on both cores by turns."""
    assert placement([_track(0.4, 0.8), _track(0.4, 0.8)], [_track(0.8, 1.6)]) is None


def test_what_cannot_be_tried_is_not_placed() -> None:
    """No cores, no programs, no load in common, or too many placements."""
    one = _track(0.5, 0.9)
    assert placement([], [one]) is None
    assert placement([one], []) is None
    assert placement([one], [Track("x", "process", "cpu", "cores", ())]) is None
    assert placement([one] * 64, [one] * 8) is None
