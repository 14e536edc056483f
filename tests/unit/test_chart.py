"""Geometry of the drawings."""

from dataclasses import replace

from fakes import record
from hypothesis import given
from hypothesis import strategies as st

from breakstep.analysis.durations import NOTHING
from breakstep.model.record import Criterion
from breakstep.report.axis import BOTTOM, LEFT, RIGHT, TOP, Axis, duration_axis, rate_axis
from breakstep.report.chart import goodput_chart, latency_bounds, response_chart

positive = st.floats(1e-3, 1e6)


@given(st.lists(positive, min_size=1), st.booleans())
def test_every_rate_lies_on_its_axis(rates: list[float], from_zero: bool) -> None:  # noqa: FBT001
    """One rate or many, wide or narrow: the drawing holds them all, with ticks."""
    axis = rate_axis(rates, LEFT, RIGHT, from_zero=from_zero)
    assert axis.low <= min(rates) <= max(rates) <= axis.high
    assert 2 <= len(axis.ticks()) <= 8
    assert all(LEFT <= axis.at(rate) <= RIGHT for rate in rates)


@given(st.lists(positive, min_size=1))
def test_every_duration_lies_on_its_axis(values: list[float]) -> None:
    """Whole decades around the values, drawn upwards."""
    axis = duration_axis(values, BOTTOM, TOP)
    assert axis.low <= min(values) * (1 + 1e-9)
    assert max(values) <= axis.high * (1 + 1e-9)
    assert len(axis.ticks()) >= 2


@given(st.floats(0.0, 10.0), st.floats(0.0, 10.0))
def test_an_axis_keeps_order(first: float, second: float) -> None:
    """What is more lies further along."""
    axis = Axis(1.0, 9.0, 0.0, 100.0)
    assert (first <= second) <= (axis.at(first) <= axis.at(second))


def test_ticks_are_round() -> None:
    """People read 300, 350, 400, not 293 and 347."""
    assert rate_axis([300.0, 460.0], 0, 1, from_zero=False).ticks() == [300, 350, 400, 450]
    assert duration_axis([12.0, 40.0], 0, 1).ticks() == [10, 20, 50, 100]


def test_steps_are_drawn_by_rate_whatever_their_order() -> None:
    """A search jumps back and forth; its curve does not."""
    chart = goodput_chart([record(0, 400.0, "fail"), record(1, 100.0), record(2, 200.0)])
    assert chart is not None
    xs = [float(point.partition(",")[0]) for point in chart.lines[0].points.split()]
    assert xs == sorted(xs)


def test_a_line_goes_through_the_median_of_a_load_that_was_offered_again() -> None:
    """Each of the steps has its mark all the same."""
    steps = [record(k, rate) for k, rate in enumerate((100.0, 200.0, 200.0, 200.0))]
    goodputs = (100.0, 200.0, 0.0, 190.0)
    again = [replace(s, goodput_per_s=g) for s, g in zip(steps, goodputs, strict=True)]
    chart = goodput_chart(again)
    assert chart is not None
    places = chart.lines[1].points.split()
    assert len(places) == 2
    assert len(chart.marks) == 4
    assert float(places[1].partition(",")[2]) == chart.marks[3].y


def test_nothing_to_draw_is_no_chart() -> None:
    """No steps, or none with a response, leave the drawing out."""
    silent = replace(record(0, 100.0, "fail"), response_ms=NOTHING, goodput_per_s=0.0)
    assert goodput_chart([]) is None
    assert response_chart([silent]) is None
    assert goodput_chart([silent]) is not None


def test_only_bounds_on_all_requests_are_drawn() -> None:
    """The curve is that of all; one request's bound on it would be taken for theirs."""
    step = record(0, 100.0)
    texts = ("p95<200ms", "checkout: p95<300ms", "errors<1%")
    criteria = tuple(Criterion(text, None, 1.0, "pass", "") for text in texts)
    step = replace(step, verdict=replace(step.verdict, criteria=criteria))
    assert latency_bounds([step]) == {"p95<200ms": 200.0}
