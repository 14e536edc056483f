"""Which signals are drawn, in what order, and what is said of the others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from results import FOUND

from breakstep.analysis.signals import Series
from breakstep.model.finding import Evidence, Finding
from breakstep.model.signal import Signal
from breakstep.report.panels import PANELS_MAX, PARTS_MAX, WORDS_MAX, Panels, panels
from breakstep.report.timeline import Timeline

TIMELINE = Timeline(100.0, 110.0, ())
DATABASE = Finding("database_cpu", "db", "high", "")


def _series(source: str, name: str, *values: float, kind: str = "process") -> Series:
    at_s = np.linspace(100.0, 110.0, len(values))
    return Series(Signal(source, kind, name, "share"), at_s, np.array(values))


def _shown(series: list[Series], finding: Finding | None = None) -> Panels:
    found = panels(series, TIMELINE, finding)
    assert found is not None
    return found


def test_without_signals_there_is_nothing_to_draw() -> None:
    """Nor where none of them fell into the run."""
    early = replace(_series("host", "cpu", 0.1, 0.2), at_s=np.array([1.0, 2.0]))
    assert panels([], TIMELINE, None) is None
    assert panels([early], TIMELINE, None) is None
    assert FOUND.sections.get("diagnosis") is None


def test_the_named_source_comes_first_and_the_generator_last() -> None:
    """The others by name."""
    series = [
        _series("generator", "cpu", 0.1, 0.2, kind="generator"),
        _series("host", "cpu", 0.1, 0.2),
        _series("app", "cpu", 0.1, 0.2),
        _series("db", "cpu", 0.1, 0.2),
    ]
    groups = _shown(series, DATABASE).groups
    assert [group.source for group in groups] == ["db", "app", "host", "generator"]
    assert [group.named for group in groups] == [True, False, False, False]


def test_what_never_moved_is_said_with_its_value() -> None:
    """A flat line tells less than a number."""
    found = _shown([_series("db", "cpu", 0.1, 0.2), _series("db", "steal", 0.25, 0.25)])
    assert [panel.name for group in found.groups for panel in group.panels] == ["cpu"]
    assert found.still == ("db steal 25 %",)


def test_parts_are_drawn_where_the_diagnosis_looks() -> None:
    """Threads of the named source, and the core that is evidence; the rest is counted."""
    series = [
        *(_series("db", f"cpu{{thread={k}}}", 0.0, k / 20) for k in range(1, 12)),
        *(_series("host", f"cpu{{core={k}}}", 0.1, 0.2) for k in range(4)),
    ]
    evidence = Evidence("host cpu{core=1}", 0.9, "share", 3, "")
    found = _shown(series, replace(DATABASE, evidence=(evidence,)))
    drawn = [panel.name for group in found.groups for panel in group.panels]
    assert len(drawn) == PARTS_MAX + 1
    assert "cpu{thread=11}" in drawn
    assert "cpu{core=1}" in drawn
    assert found.left_out == ("db cpu of each thread (3)", "host cpu of each core (3)")


def test_a_thousand_signals_are_few_panels_and_few_words() -> None:
    """Those that are not drawn are named up to a number, and counted beyond it."""
    moving = [_series("app", f"signal{k}", 0.1, 0.2) for k in range(1000)]
    found = _shown(moving)
    assert sum(len(group.panels) for group in found.groups) == PANELS_MAX
    assert len(found.left_out) == WORDS_MAX + 1
    assert found.left_out[-1] == f"and {1000 - PANELS_MAX - WORDS_MAX} more"


def test_a_share_of_more_than_a_half_is_drawn_against_the_whole() -> None:
    """So that 97 % is seen to be nearly full; 2 % is drawn against itself."""
    found = _shown([_series("app", "cpu", 0.0, 0.9), _series("app", "gc", 0.0, 0.02)])
    paths = {panel.name: panel.path for group in found.groups for panel in group.panels}
    assert paths == {"cpu": "M0 100L1000 10", "gc": "M0 100L1000 0"}
