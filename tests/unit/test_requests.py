"""The requests of a plan: what has to be right of them together."""

from dataclasses import replace

import pytest

from breakstep.model.plan import Plan, Scenario, Staircase, Target
from breakstep.model.slo import parse_slo
from breakstep.model.units import NS_PER_S
from breakstep.plan.requests import NAME_MAX, REQUESTS_MAX, faults_of, rows_faults

BROWSE = Scenario("GET", "/", name="browse", weight=9.0)
CHECKOUT = Scenario("POST", "/cart", name="checkout")


def test_requests_with_names_and_weights_of_their_own_are_right() -> None:
    """So is an SLO that names one of them, and a single request without a name."""
    assert faults_of((BROWSE, CHECKOUT), [parse_slo("checkout: p95<300ms")]) == []
    assert faults_of((Scenario("GET", "/"),), [parse_slo("p95<300ms")]) == []


@pytest.mark.parametrize(
    ("scenarios", "words"),
    [
        ((), "no request: name at least one"),
        ((BROWSE, Scenario("GET", "/b")), "request 2 has no name"),
        ((BROWSE, BROWSE, BROWSE), "'browse' names 3 requests"),
        ((replace(BROWSE, name="a\nb"),), r"'a\nb' is no name of a request"),
        ((replace(BROWSE, name=" a"),), "no blank at either end"),
        ((replace(BROWSE, name="x" * (NAME_MAX + 1)),), "at most 100 printable characters"),
        ((replace(BROWSE, weight=0.0),), "weight 0 of 'browse': above 0"),
        ((replace(BROWSE, weight=float("nan")),), "weight nan of 'browse'"),
        ((replace(BROWSE, weight=float("inf"), name=""),), "weight inf: above 0"),
        (
            tuple(replace(BROWSE, name=str(number)) for number in range(REQUESTS_MAX + 1)),
            "1001 requests: at most 1000",
        ),
    ],
)
def test_what_is_wrong_with_a_request_is_said(scenarios: tuple[Scenario, ...], words: str) -> None:
    """Each fault is one text with the remedy."""
    (fault,) = faults_of(scenarios, ())
    assert words in fault


@pytest.mark.parametrize(
    ("scenarios", "remedy"),
    [
        ((BROWSE, CHECKOUT), "did you mean 'checkout'?"),
        ((BROWSE, replace(CHECKOUT, name="pay")), "there are browse, pay"),
        ((Scenario("GET", "/"),), "the only one has no name: leave out what is before the colon"),
        (
            tuple(replace(BROWSE, name=str(number)) for number in range(12)),
            "there are 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more",
        ),
    ],
)
def test_an_slo_has_to_name_a_request_that_there_is(
    scenarios: tuple[Scenario, ...], remedy: str
) -> None:
    """The fault quotes the SLO and offers what may have been meant."""
    (fault,) = faults_of(scenarios, [parse_slo("chekout: errors<1%")])
    assert fault == f"chekout: errors<1%: no request is called 'chekout'; {remedy}"


def test_more_arrivals_than_are_kept_one_by_one_are_refused() -> None:
    """Only a mix needs them kept, and the fault says how long the hold may be."""
    target = Target("http://h/", "h", 80, tls=False, addresses=("127.0.0.1",))
    plan = Plan(target, (BROWSE, CHECKOUT), Staircase((50_000.0,)), hold_ns=300 * NS_PER_S)
    (fault,) = rows_faults(plan)
    assert fault.startswith("a hold of 300 s at 50 000/s has more arrivals")
    assert fault.endswith("hold at most 200 s")
    assert list(rows_faults(replace(plan, scenarios=(BROWSE,)))) == []
    assert list(rows_faults(replace(plan, hold_ns=200 * NS_PER_S))) == []


def test_all_faults_are_told_at_once() -> None:
    """Names, weights and SLOs are looked at whatever is wrong with the others."""
    scenarios = (replace(BROWSE, weight=-1.0), replace(BROWSE, name=""))
    assert len(faults_of(scenarios, [parse_slo("pay: p50<1s")])) == 3
