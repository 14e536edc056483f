"""Several requests with weights, on a server that treats each in its own way."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from acceptance.again import proven
from breakstep.model.errors import TargetError
from breakstep.model.plan import Plan, Scenario
from breakstep.model.record import Result
from breakstep.model.slo import parse_slo
from breakstep.plan.flags import Flags, plan_from_flags
from breakstep.report.progress import Silent
from breakstep.session.around import Around
from breakstep.session.find import find
from servers.by_path import Reply, by_path

pytestmark = pytest.mark.sockets

SLOW_S = 0.03
REPLIES = {"/": Reply(), "/cart": Reply(after_s=SLOW_S), "/pay": Reply(503)}
BROWSE = Scenario("GET", "/", name="browse", weight=7.0)
SEEN = Scenario("HEAD", "/", name="seen", weight=1.0)
CART = Scenario("GET", "/cart", name="cart", weight=2.0)
PAY = Scenario("GET", "/pay", name="pay", weight=1.0)


def plan(url: str, scenarios: Sequence[Scenario], *slos: str, workers: int = 1) -> Plan:
    """One load of two seconds."""
    flags = Flags(url, steps="200", hold="2s", warmup="0s", abort=False, workers=workers)
    asked = tuple(map(parse_slo, slos))
    return replace(plan_from_flags(flags), scenarios=tuple(scenarios), slos=asked)


def around(said: list[str]) -> Around:
    """A run that keeps what is said and writes no files."""
    return Around("run", None, Silent(), said.append, lambda: False)


def test_each_request_has_its_share_its_times_and_a_verdict_of_its_own() -> None:
    """What is slow or fails is so under its own name only, HEAD among them."""
    slos = ("cart: p50<20ms", "browse: errors<1%", "seen: errors<1%", "pay: errors<1%", "p50<1s")
    said: list[str] = []

    def measure() -> Result:
        with by_path(REPLIES) as url:
            return find(plan(url, [BROWSE, SEEN, CART, PAY], *slos), around(said))

    def holds(result: Result) -> None:
        step = result.steps[0]
        requests = step.requests
        assert list(requests) == ["browse", "seen", "cart", "pay"]
        assert sum(request.arrivals for request in requests.values()) == step.arrivals
        assert requests["browse"].arrivals == pytest.approx(7 / 11 * step.arrivals, rel=0.2)
        assert (requests["seen"].ok, requests["pay"].ok) == (requests["seen"].arrivals, 0)
        assert requests["pay"].outcomes["http_error"] == requests["pay"].arrivals
        assert requests["cart"].response_ms.p50 == pytest.approx(1e3 * SLOW_S, rel=0.3)
        assert (requests["browse"].response_ms.p50 or 0.0) < 0.5 * 1e3 * SLOW_S
        assert {c.slo: c.verdict for c in step.verdict.criteria} == {
            "cart: p50<20ms": "fail",
            "browse: errors<1%": "pass",
            "seen: errors<1%": "pass",
            "pay: errors<1%": "fail",
            "p50<1s": "pass",
        }

    proven(measure, holds)
    assert "mix    63.6 % browse, 18.2 % cart, 9.09 % seen, 9.09 % pay\n" in said[0]


def test_the_number_of_workers_changes_nothing_of_what_is_performed() -> None:
    """The same seed is the same requests, to the last one."""

    def counts(workers: int) -> dict[str, int]:
        with by_path(REPLIES) as url:
            result = find(plan(url, [BROWSE, CART], "p50<1s", workers=workers), around([]))
        return {name: record.arrivals for name, record in result.steps[0].requests.items()}

    assert counts(1) == counts(3)


def test_every_request_that_cannot_be_measured_is_named_before_any_load() -> None:
    """Each is asked once; the fault says which, and what to look at."""
    lost = replace(PAY, path="/lost?token=abc", name="lost")
    gone = replace(PAY, path="/gone", method="DELETE", name="gone")
    with by_path(REPLIES) as url, pytest.raises(TargetError) as raised:
        find(plan(url, [BROWSE, lost, PAY, gone], "p50<1s"), around([]))
    assert str(raised.value).splitlines() == [
        "lost: GET /lost?token=*** is answered 404: check the path, the method and the headers",
        "gone: DELETE /gone is answered 404: check the path, the method and the headers",
    ]


def test_a_target_that_is_not_there_is_not_asked_a_thousand_times() -> None:
    """Three requests without an answer are enough to know."""
    with by_path(REPLIES) as url:
        pass
    scenarios = [replace(BROWSE, name=str(number)) for number in range(1_000)]
    with pytest.raises(TargetError) as raised:
        find(plan(url, scenarios, "p50<1s"), around([]))
    lines = str(raised.value).splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("0: / cannot be measured: connection refused (the first request)")
