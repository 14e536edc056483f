"""The knee of a closed sweep, and the laws every level obeys."""

from dataclasses import replace

import pytest
from sweeps import four_servers, level

from breakstep.analysis.closed_laws import Closed, laws
from breakstep.analysis.throughput_knee import throughput_knee


def test_the_knee_is_the_first_level_that_has_nearly_all() -> None:
    """Four servers are full with four users."""
    knee = four_servers().knee
    assert (knee.concurrency, knee.completed_per_s) == (4, 800.0)
    assert knee.highest_per_s == 800.0
    assert knee.reasons[0] == "800/s with 4 users is the most that any level reached"
    assert knee.reasons[1].startswith("with 128 throughput is the same, and p99 32.0 times")


def test_a_level_within_a_twentieth_of_the_most_is_the_knee() -> None:
    """And one just beyond that is not."""
    knee = throughput_knee([level(8, 940.0), level(16, 960.0), level(32, 1000.0), level(64, 940.0)])
    assert (knee.concurrency, knee.highest_at) == (16, 32)
    assert knee.reasons[0] == "960/s with 16 users is within 5 % of the most, 1 000/s with 32"
    assert "with 64 throughput is 2.1 % lower" in knee.reasons[1]


def test_one_server_is_full_with_one_user() -> None:
    """Flat from the start."""
    assert throughput_knee([level(n, 200.0) for n in (1, 2, 4)]).concurrency == 1


def test_while_throughput_grows_there_is_no_knee() -> None:
    """The highest level may be far from it."""
    knee = throughput_knee([level(1, 200.0), level(2, 400.0), level(4, 790.0)])
    assert (knee.concurrency, knee.highest_per_s, knee.highest_at) == (None, 790.0, 4)
    assert "still grew at 4 users" in knee.reasons[0]
    assert "400/s with 2, 790/s with 4" in knee.reasons[0]


def test_levels_that_cannot_be_used_take_no_part() -> None:
    """Neither failures nor a starved generator nor an interrupted hold make a knee."""
    good = [level(1, 200.0), level(2, 400.0), level(4, 410.0)]
    refused = level(8, 5000.0, failed=20_000)
    starved = level(16, 600.0, trust="invalid")
    cut = replace(level(32, 700.0), cut_short="interrupted")
    assert throughput_knee([*good, refused, starved, cut]) == throughput_knee(good)
    assert "80 % of its requests failed" in (refused.unusable or "")
    assert "98 % of a core" in (starved.unusable or "")
    assert cut.unusable == "it was interrupted"


def test_without_a_usable_level_there_is_nothing() -> None:
    """Not even a highest."""
    knee = throughput_knee([level(1, 200.0, failed=500)])
    assert (knee.concurrency, knee.highest_per_s) == (None, None)
    assert throughput_knee([]).reasons == ("no level could be used",)
    assert "only the level of 1 user" in throughput_knee([level(1, 200.0)]).reasons[0]


def seen(**changed: float) -> Closed:
    """Ten users who think 50 ms at a server that answers 100/s, all in order."""
    exact = Closed(10, 0.05, 5.0, 100.0, 0.05, 5.0)
    return replace(exact, **changed)  # type: ignore[arg-type]


def test_both_laws_hold_where_the_books_are_right() -> None:
    """N̄ = X·R̄ and R̄ = N/X − Z."""
    found = laws(seen())
    assert found.little_error == pytest.approx(0.0)
    assert found.interactive_ms == pytest.approx(50.0)
    assert found.interactive_error == pytest.approx(0.0)


def test_a_lost_request_shows_in_both() -> None:
    """A tenth fewer completions than there were."""
    found = laws(seen(completed_per_s=90.0))
    assert found.little_error == pytest.approx(0.5 / 4.5)
    assert found.interactive_ms == pytest.approx(61.1, abs=0.1)
    assert (found.little_error or 0.0) > (found.little_allowed or 1.0)
    assert (found.interactive_error or 0.0) > (found.interactive_allowed or 1.0)


def test_a_short_window_is_allowed_its_edges() -> None:
    """Two responses long, it cannot tell much."""
    assert (laws(seen(window_s=0.1)).little_allowed or 0.0) > 1.0
    assert (laws(seen(window_s=500.0)).little_allowed or 1.0) == pytest.approx(0.02, abs=1e-3)


@pytest.mark.parametrize("nothing", [seen(completed_per_s=0.0), replace(seen(), response_s=None)])
def test_where_nothing_completed_no_law_is_held_against_it(nothing: Closed) -> None:
    """There is nothing to divide by."""
    assert laws(nothing).little_error is None
