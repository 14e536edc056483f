"""A page about several runs."""

from dataclasses import replace

from results import FOUND

from breakstep.report.chart import charts
from breakstep.report.html import render_html

RUN = FOUND.runs[0]
THREE = replace(
    FOUND, runs=(RUN, replace(RUN, seed=8, sustainable_per_s=380.0), replace(RUN, seed=9))
)


def test_every_step_tells_its_run() -> None:
    """In the table of steps and in the ledger; one run needs no number."""
    page = render_html(THREE)
    assert page.count('<th scope="row">3</th>') == 2 * len(RUN.steps) + 1
    assert '<th scope="col">run</th>' not in render_html(FOUND)


def test_the_spread_of_the_runs_is_said() -> None:
    """Between the lowest and the highest that held."""
    page = render_html(THREE)
    assert "380/s in the lowest run and 390/s in the highest: 2.63 % apart" in page
    assert 'id="repeats"' not in render_html(FOUND)


def test_the_shaded_stretch_is_where_it_breaks_and_not_the_range_of_the_runs() -> None:
    """Of several runs `range_per_s` is from the lowest to the highest load that held."""
    answer = replace(FOUND.answer, range_per_s=(380.0, 390.0))
    with_range, without = charts(FOUND.steps, answer)[0], charts(FOUND.steps, FOUND.answer)[0]
    assert with_range.knee == without.knee
    assert with_range.knee is not None
    assert with_range.knee.middle is None
    assert charts(FOUND.steps, replace(answer, broken_per_s=None))[0].knee is None
