"""Services that break in a known way: the records show each truth."""

from collections.abc import Callable
from functools import partial
from math import sqrt
from pathlib import Path

import pytest

import breakstep
from acceptance.again import proven, valid_steps
from acceptance.command import breakstep as command
from acceptance.command import found_json
from acceptance.target import target
from breakstep import Result

pytestmark = [pytest.mark.sockets, pytest.mark.timeout(300)]

EIGHT_SERVERS = ("--servers", "8", "--service", "constant:20ms")


def test_a_service_that_refuses_what_it_cannot_carry_shows_the_share() -> None:
    """Without a queue 490 evenly spaced a second are 392 of goodput and a fifth refused, as 503.

    A server is busy for 20 ms and the tenth arrival after its own comes after 20.4 ms: of ten
    arrivals eight find a server.
    """

    def holds(result: Result) -> None:
        step = valid_steps(result)[0]
        assert step.arrivals == sum(step.outcomes.values()) == 2450
        assert step.outcomes["http_error"] / step.arrivals == pytest.approx(0.2, abs=0.02)
        assert step.statuses == {200: step.ok, 503: step.outcomes["http_error"]}
        assert step.goodput_per_s == pytest.approx(392.0, rel=0.02)
        assert step.completed_per_s == pytest.approx(490.0, rel=0.02)
        assert step.verdict.name == "fail"

    overload(490.0, "uniform", holds)


def test_random_arrivals_are_refused_by_the_formula_of_erlang() -> None:
    """The share refused is B(8, 10), whatever the service law, within four standard deviations."""
    truth = erlang_b(8, 500.0 * 0.020)

    def holds(result: Result) -> None:
        step = valid_steps(result)[0]
        sigma = sqrt(truth * (1.0 - truth) / step.arrivals)
        assert step.outcomes["http_error"] / step.arrivals == pytest.approx(truth, abs=4 * sigma)

    overload(500.0, "poisson", holds)


def overload(rate_per_s: float, arrivals: str, holds: Callable[[Result], None]) -> None:
    """Five seconds of a load on eight servers without a queue."""
    with target(*EIGHT_SERVERS, "--queue", "0") as url:
        measure = partial(
            breakstep.find,
            url,
            slo="p95<100ms",
            steps=[rate_per_s],
            hold="5s",
            warmup="1s",
            arrivals=arrivals,
            abort=False,
        )
        proven(measure, holds)


def erlang_b(servers: int, load: float) -> float:
    """B(0, a) = 1, B(c, a) = a · B(c − 1, a) / (c + a · B(c − 1, a)), a = rate · mean service."""
    share = 1.0
    for number in range(1, servers + 1):
        share = load * share / (number + load * share)
    return share


def test_a_service_that_works_for_those_who_left_collapses() -> None:
    """The front gives up after 100 ms, the servers do not: more load, less goodput.

    The first load is well below the capacity of 400/s: near it, a hiccup of the machine is enough
    for a collapse that lasts.
    """

    def holds(result: Result) -> None:
        held, *beyond = valid_steps(result)
        assert [step.offered_per_s for step in beyond] == [500.0, 500.0, 600.0]
        assert held.goodput_per_s == pytest.approx(250.0, rel=0.02)
        for step in beyond:
            assert step.goodput_per_s < 0.02 * step.offered_per_s
            assert step.completed_per_s == pytest.approx(step.offered_per_s, rel=0.05)
            assert step.statuses[504] == step.outcomes["http_error"] >= 0.98 * step.arrivals
            assert step.verdict.name == "fail"
        assert held.verdict.name == "pass"
        assert result.answer.sustainable_per_s == 250.0

    with target(*EIGHT_SERVERS, "--give-up", "100ms") as url:
        measure = partial(
            breakstep.find,
            url,
            slo="errors<1%",
            steps=[250, 500, 600],
            hold="4s",
            arrivals="uniform",
            abort=False,
        )
        proven(measure, holds)


def test_two_per_cent_of_errors_are_two_per_cent() -> None:
    """Within four standard deviations of 10 000 arrivals' share: 0.56 points."""

    def holds(result: Result) -> None:
        (step,) = valid_steps(result)
        sigma = sqrt(0.02 * 0.98 / step.arrivals)
        assert step.arrivals == 10_000
        assert step.outcomes["http_error"] / step.arrivals == pytest.approx(0.02, abs=4 * sigma)
        assert step.statuses[500] == step.outcomes["http_error"]
        assert (step.verdict.name, result.answer.status) == ("pass", "above_ceiling")

    with target("--servers", "8", "--service", "constant:1ms", "--errors", "2%") as url:
        measure = partial(
            breakstep.find,
            url,
            slo="errors<5%",
            steps=[1000],
            hold="10s",
            warmup="500ms",
            arrivals="uniform",
        )
        proven(measure, holds)


def test_a_service_with_errors_at_every_load_breaks_below_the_floor(tmp_path: Path) -> None:
    """`errors<1%` is missed at the lowest load: that is an answer, and exit 0."""
    flags = ("--steps", "200", "--hold", "2s", "--warmup", "0s", "--no-abort", "--json", "-")
    with target("--servers", "8", "--service", "constant:1ms", "--errors", "10%") as url:
        ended = command("find", url, *flags, "--slo", "errors<1%", cwd=tmp_path)
    found = found_json(ended)
    assert ended.returncode == 0
    assert (found["answer"]["status"], found["runs"][0]["stop_reason"]) == ("below_floor", "floor")
    assert found["answer"]["sustainable_per_s"] is None


def test_a_search_sees_that_load_does_not_matter() -> None:
    """2 % of errors at 2 000/s and at a quarter of that alike: below the floor, and it says why."""

    def holds(result: Result) -> None:
        assert (result.answer.status, result.answer.broken_per_s) == ("below_floor", 500.0)
        assert "load does not matter" in result.runs[0].why

    with target("--servers", "8", "--service", "constant:1ms", "--errors", "2%") as url:
        measure = partial(
            breakstep.find, url, slo="errors<1%", from_per_s=2_000, warmup="500ms", effort="quick"
        )
        proven(measure, holds)


def test_the_same_seed_offers_the_same_arrivals() -> None:
    """Step by step, and another seed others."""
    with target("--servers", "8", "--service", "0") as url:
        first, again, other = (
            breakstep.find(
                url,
                slo="errors<1%",
                steps=[200, 300, 400],
                hold="1s",
                warmup="0s",
                seed=seed,
            )
            for seed in (7, 7, 8)
        )
    counts = [
        {(step.index, step.offered_per_s): step.arrivals for step in result.steps}
        for result in (first, again, other)
    ]
    # A step that had to be measured again moves those behind it, in one run and not in the other.
    both = counts[0].keys() & counts[1].keys()
    assert (0, 200.0) in both
    assert all(counts[0][step] == counts[1][step] for step in both)
    assert counts[0] != counts[2]
