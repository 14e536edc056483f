"""What the first contact tells."""

from dataclasses import replace

import pytest
from measured import FullTally
from plans import URL, plan_of

from breakstep.engine.contact import Contact
from breakstep.model.errors import TargetError
from breakstep.model.plan import Scenario, Search
from breakstep.model.slo import parse_slo
from breakstep.plan.flags import Flags
from breakstep.session.contact import (
    assumed_slos,
    check_contact,
    first_rate_per_s,
    load_ns,
    out_of_reach,
    settled_plan,
)

MS = 1_000_000


def contact(met: FullTally, median_ns: int | None = None) -> Contact:
    """A contact with a stand-in for the engine's tally."""
    return Contact(met.as_engines, median_ns)


def unanswered(outcome: str, cause: str) -> Contact:
    """Nine requests that ended alike, without an answer."""
    return contact(FullTally(failed={outcome: 9}, causes={cause: 9}))


def answered(*statuses: int, median_ns: int | None = None) -> Contact:
    """Answers with these statuses."""
    return contact(
        FullTally(failed={"http_error": 9}, statuses=dict.fromkeys(statuses, 9)), median_ns
    )


@pytest.mark.parametrize(
    ("outcome", "cause", "remedy"),
    [
        ("connect", "connection refused", "is the service running, and is this its port?"),
        ("tls", "certificate not trusted", "--cacert FILE or --insecure for a test certificate"),
        ("protocol", "not an HTTP response", "write https:// if this is a TLS port"),
        ("reset", "closed before the response", "write https:// if this is a TLS port"),
        ("timeout", "no complete response", "the service took the request and gave no answer"),
        ("dropped", "no connection came free", "the service took no connection"),
    ],
)
def test_a_target_without_an_answer_is_an_error_with_its_cause_and_remedy(
    outcome: str, cause: str, remedy: str
) -> None:
    """No load is offered to what does not answer one request at a time."""
    with pytest.raises(TargetError) as raised:
        check_contact(plan_of(Flags(URL)), unanswered(outcome, cause))
    assert str(raised.value).startswith(
        f"{URL} cannot be measured: {cause} (all of 9 first requests); "
    )
    assert remedy in str(raised.value)


def test_a_failure_without_a_cause_is_named_by_its_outcome() -> None:
    """The message is a sentence all the same."""
    with pytest.raises(TargetError, match=r"cannot be measured: check_failed .*; see the cause"):
        check_contact(plan_of(Flags(URL)), contact(FullTally(failed={"check_failed": 1})))


@pytest.mark.parametrize("status", [401, 403, 404, 405, 410])
def test_the_same_refusal_every_time_is_an_error(status: int) -> None:
    """Measuring how fast a service says 404 is nobody's wish."""
    with pytest.raises(TargetError) as raised:
        check_contact(plan_of(Flags(URL, method="put")), answered(status))
    assert str(raised.value) == (
        f"PUT {URL} is answered {status} every time: check the path, the method and the headers"
    )


@pytest.mark.parametrize(("url", "hinted"), [(URL, True), ("https://h/", False)])
def test_a_bad_request_may_be_plain_text_on_a_tls_port(url: str, *, hinted: bool) -> None:
    """Servers that notice say 400, and the message says what to write."""
    with pytest.raises(TargetError, match="is answered 400 every time") as raised:
        check_contact(plan_of(Flags(url)), answered(400))
    assert ("write https:// if this is a TLS port" in str(raised.value)) == hinted


def test_one_request_is_spoken_of_as_one() -> None:
    """A service that took ten seconds to say nothing is not asked again."""
    once = contact(FullTally(failed={"timeout": 1}, causes={"no complete response": 1}))
    with pytest.raises(TargetError, match=r"no complete response \(the first request\); "):
        check_contact(plan_of(Flags(URL)), once)


@pytest.mark.parametrize("statuses", [(429,), (500,), (503,), (404, 503), (401, 404)])
def test_refusals_that_load_may_cause_or_that_vary_are_measured(statuses: tuple[int, ...]) -> None:
    """Too many requests and server errors are what a search is about."""
    check_contact(plan_of(Flags(URL)), answered(*statuses))


def test_one_good_answer_is_enough() -> None:
    """A service that sometimes says 404 can be measured."""
    check_contact(plan_of(Flags(URL)), answered(404, median_ns=MS))


def test_messages_about_a_target_keep_its_secrets() -> None:
    """Neither the password nor the token of the URL is shown."""
    plan = plan_of(Flags("http://me:hunter2@h/?token=hunter2"))
    for met in (unanswered("connect", "connection refused"), answered(404)):
        with pytest.raises(TargetError, match=r"http://h/\?token=\*\*\*") as raised:
            check_contact(plan, met)
        assert "hunter2" not in str(raised.value)


@pytest.mark.parametrize(
    ("median_ns", "bound"),
    [
        (20 * MS, "p95<200ms"),
        (20_340_000, "p95<203ms"),
        (1 * MS, "p95<10ms"),
        (50_000, "p95<10ms"),
        (3_000 * MS, "p95<30s"),
    ],
)
def test_without_an_slo_ten_times_the_unloaded_median_is_assumed(
    median_ns: int, bound: str
) -> None:
    """In whole milliseconds, and never under ten."""
    slos = assumed_slos(contact(FullTally(), median_ns))
    assert [str(slo) for slo in slos] == [bound, "errors<1%", "goodput>97%"]


def test_without_a_good_answer_no_latency_is_assumed() -> None:
    """There is nothing to take ten times of."""
    assert [str(slo) for slo in assumed_slos(answered(503))] == ["errors<1%", "goodput>97%"]


@pytest.mark.parametrize(
    ("median_ns", "rate_per_s"),
    [(None, 1.0), (20 * MS, 50.0), (50_000, 200.0), (7 * MS, 143.0), (5_000 * MS, 1.0)],
)
def test_a_climb_starts_at_what_one_request_at_a_time_reaches(
    median_ns: int | None, rate_per_s: float
) -> None:
    """A round rate, at least 1/s and at most 200/s."""
    assert first_rate_per_s(contact(FullTally(), median_ns)) == rate_per_s


def test_a_quantile_that_no_step_can_judge_is_said_before_the_load() -> None:
    """With what it would take; at a rate that has the arrivals nothing is said."""
    ok = answered(200, median_ns=20 * MS)
    rare = plan_of(Flags(URL, slo=("p99.9<200ms",), steps="10,20", hold="10s"))
    (says,) = out_of_reach(rare, ok)
    assert says.startswith("p99.9 cannot be judged at 20/s in the time allowed")
    assert says.endswith("at least 2 995 arrivals, 150 s")
    often = plan_of(Flags(URL, slo=("p99.9<200ms",), steps="1000", hold="10s"))
    assert out_of_reach(often, ok) == ()
    searched = settled_plan(plan_of(Flags(URL, slo=("p99<200ms",))), ok)
    assert out_of_reach(searched, ok) == ()


def test_a_budget_is_turned_into_as_much_effort_as_fits() -> None:
    """More time, more arrivals before a first look."""
    ok = answered(200, median_ns=20 * MS)
    short, long = (
        settled_plan(plan_of(Flags(URL, budget=budget)), ok).load for budget in ("1m", "30m")
    )
    assert isinstance(short, Search)
    assert isinstance(long, Search)
    assert short.first_look < long.first_look


def test_a_search_of_a_slow_service_warms_it_up_for_longer() -> None:
    """Twenty responses of 500 ms; a staircase keeps to its plan."""
    slow = answered(20, median_ns=500 * MS)
    searched = settled_plan(plan_of(Flags(URL, slo=("p99<2s",))), slow)
    assert searched.warmup_ns == 10_000 * MS
    stepped = settled_plan(plan_of(Flags(URL, slo=("p99<2s",), steps="10")), slow)
    assert stepped.warmup_ns == 2_000 * MS


def test_loads_take_as_long_as_they_are_named_or_forecast() -> None:
    """Two steps of three seconds with their warm-ups; a quick search about two minutes."""
    ok = answered(200, median_ns=20 * MS)
    named = plan_of(Flags(URL, steps="10,20", hold="3s", ramp="0s"))
    assert load_ns(named, ok) == 10_000 * MS
    assert 60_000 * MS < load_ns(settled_plan(plan_of(Flags(URL)), ok), ok) < 240_000 * MS


def test_a_rare_request_is_out_of_reach_sooner_than_all_together() -> None:
    """A fiftieth of a thousand arrivals is too few for a p99; the others are enough."""
    rare = (
        Scenario("GET", "/", name="browse", weight=49.0),
        Scenario("GET", "/", name="pay", weight=1.0),
    )
    asked = tuple(map(parse_slo, ("p99<1s", "browse: p99<1s", "pay: p99<1s", "pay: errors<1%")))
    plan = replace(plan_of(Flags(URL, steps="100", hold="10s")), scenarios=rare, slos=asked)
    (warning,) = out_of_reach(plan, contact(FullTally(), MS))
    assert warning.startswith("pay: p99 cannot be judged at 2/s in the time allowed")
