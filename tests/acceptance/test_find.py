"""The main job: the breaking point of a service that has one."""

from functools import partial

import pytest

import breakstep
from acceptance.again import proven, valid_steps
from acceptance.target import target
from breakstep import Result

# Three searches at most.
pytestmark = [pytest.mark.sockets, pytest.mark.timeout(600)]


def test_eight_servers_of_twenty_milliseconds_break_at_400_a_second() -> None:
    """Evenly spaced arrivals hold up to the capacity and break just beyond it."""

    def holds(result: Result) -> None:
        answer = result.answer
        assert answer.status == "found"
        assert answer.sustainable_per_s in (390, 400)
        assert answer.broken_per_s in (400, 410)
        assert result.runs[0].stop_reason == "broken"
        assert valid_steps(result)[-1].verdict.reasons[0].startswith("p95 was ")

    with target("--servers", "8", "--service", "constant:20ms") as url:
        measure = partial(
            breakstep.find,
            url,
            slo="p95<100ms",
            steps=[300, 380, 390, 400, 410, 420],
            hold="5s",
            warmup="1s",
            arrivals="uniform",
        )
        proven(measure, holds)


def test_below_its_capacity_a_service_answers_in_its_service_time() -> None:
    """Nothing waits, nothing is lost, and sends follow the plan."""

    def holds(result: Result) -> None:
        (step,) = valid_steps(result)
        assert (step.arrivals, step.sent, step.ok, step.completed) == (900, 900, 900, 900)
        assert step.response_ms.p50 == pytest.approx(20.0, rel=0.05)
        assert step.service_ms.p50 == pytest.approx(20.0, rel=0.05)
        assert step.in_flight.mean == pytest.approx(6.0, rel=0.05)
        assert step.queue != "growing"
        assert step.verdict.name == "pass"
        assert result.answer.status == "above_ceiling"

    with target("--servers", "8", "--service", "constant:20ms") as url:
        measure = partial(
            breakstep.find, url, slo="p95<100ms", steps=[300], hold="3s", arrivals="uniform"
        )
        proven(measure, holds)


def test_without_a_load_or_an_slo_a_service_is_found_to_break() -> None:
    """`find URL` names what it assumed, searches, and brackets the capacity of 1 600/s.

    Evenly spaced arrivals and a constant service have no queue below the capacity, and a window of
    seconds does not tell a hundredth more from it. A quick search promises no narrow bracket.
    """

    def holds(result: Result) -> None:
        answer = result.answer
        assert answer.status == "found"
        assert answer.sustainable_per_s is not None
        assert answer.broken_per_s is not None
        assert answer.sustainable_per_s <= 1_616
        assert answer.broken_per_s >= 1_584
        assert answer.broken_per_s <= 1.35 * answer.sustainable_per_s
        assert any("assumed: p95<5" in caveat for caveat in answer.caveats)
        assert list(result.plan["slos"])[1:] == ["errors<1%", "goodput>97%"]

    with target("--servers", "8", "--service", "constant:5ms") as url:
        measure = partial(breakstep.find, url, hold="1s", warmup="300ms", arrivals="uniform")
        proven(measure, holds)


def test_what_is_in_flight_at_a_look_is_waited_for() -> None:
    """Sixty of the first eight hundred arrivals have not ended when it comes, and none is bad."""

    def holds(result: Result) -> None:
        first = valid_steps(result)[0]
        assert (first.verdict.name, first.arrivals) == ("pass", 800)

    with target("--servers", "256", "--service", "constant:150ms") as url:
        measure = partial(
            breakstep.find,
            url,
            slo="p95<1s",
            from_per_s=400,
            to_per_s=400,
            hold="2s",
            warmup="500ms",
            arrivals="uniform",
        )
        proven(measure, holds)
