"""The verdict of a step."""

import pytest
from fakes import FakeTally
from hypothesis import given
from hypothesis import strategies as st

from breakstep.analysis.verdict import judge
from breakstep.model.slo import parse_slo

P95 = parse_slo("p95<200ms")


def test_five_of_a_hundred_over_the_bound_pass_p95() -> None:
    """The allowance of p95 is five in a hundred, that many included."""
    tally = FakeTally(ok_ms=[10.0] * 95 + [300.0] * 5)
    assert judge([P95], tally).name == "pass"


def test_six_of_a_hundred_over_the_bound_fail_p95() -> None:
    """One more than the allowance fails, and the reason names value and bound."""
    verdict = judge([P95], FakeTally(ok_ms=[10.0] * 94 + [312.0] * 6))
    assert verdict.name == "fail"
    assert verdict.reasons == ("p95 was 312 ms, above 200 ms",)


def test_a_failed_arrival_is_bad_for_a_latency_slo() -> None:
    """Fast failures do not improve a quantile: they count as infinitely slow."""
    verdict = judge([P95], FakeTally(ok_ms=[10.0] * 90, failed={"http_error": 10}))
    assert verdict.criteria[0].value is None
    assert verdict.reasons[0] == (
        "p95 was beyond any time: 10 % of arrivals failed, and at most 5 % may fail or take "
        "longer than 200 ms"
    )


def test_an_arrival_without_an_outcome_is_bad() -> None:
    """What never ended did not end in time."""
    assert judge([P95], FakeTally(ok_ms=[10.0] * 90, unfinished=10)).name == "fail"


def test_an_slo_that_names_a_request_is_judged_on_its_tally() -> None:
    """What all arrivals say is not asked, and the reason names the request."""
    slos = [parse_slo("p95<200ms"), parse_slo("pay: p95<200ms"), parse_slo("rare: errors<1%")]
    by_request = {"pay": FakeTally(ok_ms=[312.0] * 5), "rare": FakeTally()}
    verdict = judge(slos, FakeTally(ok_ms=[10.0] * 95 + [312.0] * 5), by_request)
    assert [criterion.verdict for criterion in verdict.criteria] == ["pass", "fail", "undecided"]
    assert (verdict.name, verdict.reasons) == ("fail", ("pay: p95 was 312 ms, above 200 ms",))
    assert verdict.criteria[2].says == "no arrival of rare was due in the window"


def test_every_slo_must_hold() -> None:
    """One missed criterion is not outvoted by the others."""
    slos = [parse_slo("p50<1s"), parse_slo("errors<1%")]
    verdict = judge(slos, FakeTally(ok_ms=[10.0] * 98, failed={"reset": 2}))
    assert [criterion.verdict for criterion in verdict.criteria] == ["pass", "fail"]
    assert verdict.reasons == ("2 % of arrivals failed, above 1 %",)


def test_goodput_counts_only_what_met_the_tightest_bound() -> None:
    """An ok response over the tightest latency bound is not good."""
    slos = [parse_slo("p50<100ms"), parse_slo("p99<1s"), parse_slo("goodput>97%")]
    verdict = judge(slos, FakeTally(ok_ms=[10.0] * 96 + [500.0] * 4))
    assert verdict.criteria[2].says == ("96 % of arrivals succeeded within 100 ms, below 97 %")


def test_goodput_without_a_latency_bound_counts_every_ok_arrival() -> None:
    """With no bound, to succeed at all is good."""
    assert judge([parse_slo("goodput>97%")], FakeTally(ok_ms=[9e4] * 10)).name == "pass"


def test_no_arrivals_leave_the_step_undecided() -> None:
    """Nothing was measured, so nothing passed."""
    assert judge([P95], FakeTally()).name == "undecided"


def test_a_value_just_over_the_bound_is_shown_with_enough_digits() -> None:
    """'200 ms, above 200 ms' would make no sense to anyone."""
    verdict = judge([P95], FakeTally(ok_ms=[200.4] * 10))
    assert verdict.reasons == ("p95 was 200.4 ms, above 200 ms",)


@pytest.mark.parametrize("quantile", ["p50", "p75", "p90", "p95", "p98", "p99", "p99.9"])
@given(
    ok_ms=st.lists(st.sampled_from([1.0, 199.0, 200.0, 201.0, 900.0]), max_size=120),
    failed=st.integers(0, 30),
)
def test_the_value_shown_agrees_with_the_verdict(
    quantile: str, ok_ms: list[float], failed: int
) -> None:
    """The quantile is over the bound, or beyond any time, exactly when too many are bad."""
    tally = FakeTally(ok_ms=ok_ms, failed={"timeout": failed})
    for criterion in judge([parse_slo(f"{quantile}<200ms")], tally).criteria:
        met = criterion.value is not None and criterion.value <= criterion.limit
        assert met == (criterion.verdict == "pass")
