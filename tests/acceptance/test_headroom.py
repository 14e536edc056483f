"""The generator on a server that does nothing."""

from dataclasses import replace

import pytest

import breakstep
from acceptance.again import proven
from acceptance.target import target
from breakstep.analysis.headroom import ANSWERED
from breakstep.engine.host.null_target import Carried, carry
from breakstep.model.plan import Plan, Scenario, Search, Target
from breakstep.model.record import Check, Generator, RunRecord
from breakstep.model.units import NS_PER_MS, NS_PER_S
from breakstep.session.headroom import headroom_checks

pytestmark = pytest.mark.sockets

PLAN = Plan(
    Target("http://h/", "h", 80, tls=False, addresses=("127.0.0.1",)),
    (Scenario("GET", "/"),),
    Search(),
)


def test_an_open_load_is_carried() -> None:
    """As many arrivals as were planned, all answered within milliseconds."""

    def holds(carried: Carried | None) -> None:
        assert carried is not None
        assert carried.arrivals == pytest.approx(1_000, abs=5 * 1_000**0.5)
        assert carried.ok >= ANSWERED * carried.arrivals
        assert carried.p99_ns < 20 * NS_PER_MS

    proven(lambda: carry(PLAN, 1_000.0, NS_PER_S, lambda: False), holds)


def test_who_has_had_enough_waits_for_nothing() -> None:
    """Neither a result nor an error."""
    assert carry(PLAN, 1_000.0, 60 * NS_PER_S, lambda: True) is None


def test_a_generator_that_is_half_busy_is_tried_beyond_what_broke() -> None:
    """On our own server, which answers all that a generator at 60 % of a core can send."""
    with target("--servers", "8", "--service", "constant:1ms") as url:
        found = breakstep.find(url, slo="errors<1%", steps=[500], hold="500ms", warmup="0s")
    busy = replace(found.steps[0], offered_per_s=1_000.0, sent_per_s=1_000.0)
    half = replace(busy, generator=Generator(0.6, 0.6, 0.0))
    run = RunRecord(1, "broken", "", None, 1_000.0, (half,))

    def holds(checks: list[Check]) -> None:
        (check,) = checks
        assert check.says.startswith("on a server that does nothing 100 % of 1 300/s")
        assert check.verdict == "trusted"

    proven(lambda: headroom_checks(PLAN, [run], lambda: False), holds)
