"""When a step can no longer pass."""

from dataclasses import replace

import pytest
from fakes import FakeTally
from hypothesis import given
from hypothesis import strategies as st

from breakstep.analysis.hopeless import HoldSoFar, apply_cut, hopeless
from breakstep.analysis.verdict import judge
from breakstep.model.record import Verdict
from breakstep.model.slo import parse_slo
from breakstep.model.units import NS_PER_S

P95 = parse_slo("p95<200ms")
CALM = HoldSoFar(
    tally=FakeTally(ok_ms=[10.0] * 300),
    rate_per_s=100.0,
    seen_ns=3 * NS_PER_S,
    hold_ns=10 * NS_PER_S,
    in_flight_start=1,
    in_flight=1,
    completed_per_s=100.0,
    timeout_ns=10 * NS_PER_S,
)


def test_a_calm_step_is_held_to_its_end() -> None:
    """Nothing bad has happened, so nothing is said."""
    assert hopeless([P95], CALM) is None


def test_a_step_with_more_bad_arrivals_than_it_may_have_is_hopeless() -> None:
    """Of about 1 000 planned p95 allows 50, and no later arrival can make up for more."""
    hold = replace(CALM, tally=FakeTally(ok_ms=[10.0] * 200 + [400.0] * 100))
    assert hopeless([P95], hold) == (
        "p95<200ms was out of reach after 3 s: 100 arrivals were bad already, more than the 54 "
        "it may have in the whole 10 s"
    )


@pytest.mark.parametrize("slo", ["errors<1%", "goodput>97%", "p99<1s"])
def test_failures_spend_every_allowance(slo: str) -> None:
    """A failed arrival is bad for errors, goodput and latency alike."""
    hold = replace(CALM, tally=FakeTally(ok_ms=[10.0] * 200, failed={"timeout": 100}))
    assert hopeless([parse_slo(slo)], hold) is not None


def test_a_frozen_server_is_seen_before_its_requests_time_out() -> None:
    """Arrivals in flight for longer than the bound are bad before they end."""
    frozen = replace(CALM, tally=FakeTally(unfinished=300), in_flight=300, completed_per_s=0.0)
    assert hopeless([P95], frozen) is not None


def test_requests_in_flight_within_the_bound_are_not_held_against_the_step() -> None:
    """At 100/s with a bound of 5 s, 300 in flight may all still be in time."""
    slow = replace(CALM, tally=FakeTally(unfinished=300), in_flight=300, completed_per_s=0.0)
    assert hopeless([parse_slo("p95<5s")], slow) is None


def test_a_backlog_longer_than_the_timeout_is_hopeless() -> None:
    """Whoever arrives behind it is not answered in time."""
    hold = replace(CALM, in_flight=300, in_flight_start=300, completed_per_s=20.0)
    assert hopeless([parse_slo("errors<1%")], hold) == (
        "300 arrivals in flight need 15 s at 20 completions a second, longer than the timeout "
        "of 10 s"
    )


@pytest.mark.parametrize(("seen_s", "hold_s"), [(0.9, 5.0), (5.0, 60.0)])
def test_no_step_is_cut_before_enough_of_it_was_seen(seen_s: float, hold_s: float) -> None:
    """A second and a tenth of the hold are always measured."""
    broken = replace(
        CALM,
        tally=FakeTally(failed={"reset": 10_000}),
        seen_ns=round(seen_s * NS_PER_S),
        hold_ns=round(hold_s * NS_PER_S),
    )
    assert hopeless([P95], broken) is None


@given(bad=st.integers(0, 400), good=st.integers(0, 600))
def test_a_step_cut_for_its_bad_arrivals_fails_on_what_was_seen(bad: int, good: int) -> None:
    """Cutting never turns a step into one that its own record would pass."""
    tally = FakeTally(ok_ms=[10.0] * good, failed={"timeout": bad})
    if hopeless([P95], replace(CALM, tally=tally)) is not None:
        assert judge([P95], tally).name == "fail"


def test_an_slo_of_one_request_ends_no_step_early() -> None:
    """Meanwhile nobody can say whose the bad arrivals are."""
    broken = replace(CALM, tally=FakeTally(failed={"reset": 10_000}))
    assert hopeless([parse_slo("errors<1%")], broken) is not None
    assert hopeless([parse_slo("pay: errors<1%")], broken) is None


def test_a_cut_step_cannot_pass() -> None:
    """Relieved of its load the service may recover, which is not holding the load."""
    verdict = apply_cut(Verdict("pass"), "300 arrivals in flight need 15 s")
    assert (verdict.name, verdict.reasons) == ("fail", ("300 arrivals in flight need 15 s",))
    assert apply_cut(Verdict("pass"), None).name == "pass"
