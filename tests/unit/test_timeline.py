"""The time axis of a run."""

from __future__ import annotations

from dataclasses import replace

import pytest
from long_run import HOUR_S, hour
from results import FOUND

from breakstep.report.timeline import Timeline, timeline_of


def test_without_seconds_there_is_no_axis() -> None:
    """A result alone has no record by time."""
    assert timeline_of(FOUND, ()) is None


def test_every_step_has_its_band() -> None:
    """In order, none over another, with its verdict."""
    result, recorded = hour()
    timeline = timeline_of(result, recorded.rows)
    assert timeline is not None
    bands = timeline.bands
    assert [band.verdict for band in bands] == [step.verdict.name for step in result.steps]
    ends = [band.start + band.width for band in bands]
    assert all(end <= later.start for end, later in zip(ends, bands[1:], strict=False))


@pytest.mark.parametrize("length_s", [0.8, 7, 61, 600, HOUR_S, 24 * HOUR_S, 7 * 24 * HOUR_S])
def test_ticks_are_few_and_begin_at_zero(length_s: float) -> None:
    """From less than a second to a week."""
    ticks = Timeline(1000.0, 1000.0 + length_s, ()).ticks()
    assert ticks[0].label == "0"
    assert 1 <= len(ticks) <= 9
    assert len({tick.label for tick in ticks}) == len(ticks)


def test_a_label_has_to_have_room() -> None:
    """On a phone narrow bands have none, and bands of a hundredth have none anywhere."""
    result, recorded = hour()
    timeline = timeline_of(result, recorded.rows)
    assert timeline is not None
    wide = replace(timeline.bands[0], width=20.0)
    assert [wide.room, replace(wide, width=5.0).room, timeline.bands[0].room] == [
        "wide",
        "narrow",
        "none",
    ]
