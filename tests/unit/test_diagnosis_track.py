"""A signal against the load."""

from hypothesis import given
from hypothesis import strategies as st

from breakstep.diagnosis.track import Point, Track, highest


def _track(*values: tuple[float, float]) -> Track:
    return Track(
        "x", "host", "cpu", "share", tuple(Point(at, v, k) for k, (at, v) in enumerate(values))
    )


def test_the_top_is_taken_near_the_break() -> None:
    """At three times the break everything is full; that says nothing of what was full first."""
    track = _track((100.0, 0.2), (200.0, 0.7), (250.0, 0.8), (600.0, 1.0))
    top = track.top(200.0)
    assert top is not None
    assert (top.per_s, top.value) == (250.0, 0.8)


def test_what_was_sampled_far_beyond_only_is_better_than_nothing() -> None:
    """A probe may have been silent at the break."""
    top = _track((100.0, 0.2), (600.0, 1.0)).top(200.0)
    assert top is not None
    assert top.value == 1.0


def test_nothing_beyond_the_break_has_no_top() -> None:
    """Then it cannot be said to have been full there."""
    assert _track((100.0, 0.2)).top(200.0) is None
    assert highest([_track((100.0, 0.2))], 200.0) is None


def test_a_share_needs_both_at_the_same_load() -> None:
    """And a limit above nothing."""
    busy = _track((100.0, 4.0), (200.0, 5.0), (300.0, 5.0))
    size = _track((100.0, 0.0), (300.0, 10.0))
    assert [(p.per_s, p.value) for p in busy.over(size).points] == [(300.0, 0.5)]


@given(
    values=st.lists(st.tuples(st.floats(1.0, 1e6), st.floats(0.0, 1.0)), min_size=1, max_size=20),
    break_per_s=st.floats(1.0, 1e6),
)
def test_the_top_is_one_of_the_points_at_or_over_the_break(
    values: list[tuple[float, float]], break_per_s: float
) -> None:
    """Never a lighter load, and none of its neighbours is higher."""
    track = _track(*sorted(values))
    top = track.top(break_per_s)
    beyond = track.beyond(break_per_s)
    assert (top is None) == (not beyond)
    if top is not None:
        assert top in beyond
        assert top.value == max(
            p.value for p in beyond if p.per_s <= max(1.5 * break_per_s, top.per_s)
        )
