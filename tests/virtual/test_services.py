"""Searches of services that do not simply get slower with load."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest

from breakstep.analysis.effort import SEARCHES
from breakstep.model.slo import parse_slo
from breakstep.search.confirming import overloaded_before
from breakstep.search.standard import CANARY_SHARE
from breakstep.search.trials import Bracket
from virtual.cells import Cell, Searched, search, search_cell, searcher
from virtual.service import VirtualService

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from breakstep.model.plan import Arrivals, Effort, Step

STANDARD = SEARCHES["standard"]
P95 = "p95<50ms"


def find(
    flags: Mapping[str, str],
    *slos: str,
    from_per_s: float = 90.0,
    arrivals: Arrivals = "poisson",
    at: Callable[[Step], Mapping[str, str]] = lambda _: {},
) -> Searched:
    """A standard search of a model server."""
    service = VirtualService(flags, [parse_slo(slo) for slo in slos], arrivals, at)
    return search(service, searcher(STANDARD, from_per_s, seed=3))


def test_evenly_spaced_arrivals_are_held_up_to_the_capacity() -> None:
    """With N servers of constant service W the answer is N/W within 2 %."""
    for servers in (1, 4, 16):
        flags = {"servers": str(servers), "service": "constant:10ms"}
        found = find(flags, P95, arrivals="uniform", from_per_s=9.0 * servers).answer
        assert found.status == "found"
        assert found.sustainable_per_s is not None
        assert 0.98 <= found.sustainable_per_s / (100.0 * servers) <= 1.0


def test_constant_errors_are_no_matter_of_load() -> None:
    """2 % of errors at every load: below the floor, and the reason says where to look."""
    flags = {"servers": "8", "service": "constant:10ms", "errors": "2%"}
    found = find(flags, "errors<1%", P95)
    assert found.answer.status == "below_floor"
    assert found.answer.sustainable_per_s is None
    assert "load does not matter" in found.done.why


def test_a_service_slower_than_its_bound_is_below_the_floor() -> None:
    """No load is light enough when one request alone takes too long."""
    found = find({"service": "constant:60ms"}, P95, from_per_s=5.0)
    assert found.answer.status == "below_floor"
    assert "load does not matter" in found.done.why


def test_refusals_break_it_by_their_share() -> None:
    """One server without a queue refuses ρ/(1 + ρ): 1 % of errors come at ρ = 1/99."""
    flags = {"servers": "1", "service": "constant:1ms", "queue": "0"}
    found = find(flags, "errors<1%", from_per_s=1.0).answer
    assert found.status == "found"
    assert found.knee_per_s is not None
    assert abs(found.knee_per_s / (1000.0 / 99.0) - 1.0) <= 0.03


def test_a_cliff_is_reported_as_a_bracket() -> None:
    """Evenly spaced arrivals are all served or half refused: no line is drawn through that."""
    flags = {"servers": "2", "service": "constant:10ms", "queue": "0"}
    found = find(flags, "errors<1%", arrivals="uniform", from_per_s=18.0).answer
    assert found.status == "found"
    assert found.knee_interval_per_s == found.range_per_s
    assert found.sustainable_per_s is not None
    assert 196.0 <= found.sustainable_per_s <= 200.0
    assert any("abruptly" in caveat for caveat in found.caveats)


def test_one_stall_does_not_move_the_answer() -> None:
    """A step that failed because the service froze in it is overruled by its confirmation."""
    flags = {"servers": "8", "service": "exponential:10ms"}
    plain = find(flags, P95).answer
    frozen = find(flags, P95, at=lambda step: {"stall_once": "1s@3s"} if step.index == 4 else {})
    assert plain.knee_per_s is not None
    assert frozen.answer.knee_per_s is not None
    assert abs(frozen.answer.knee_per_s / plain.knee_per_s - 1.0) <= 0.03


def test_a_service_that_is_slow_in_a_band_of_loads_is_credited_below_it() -> None:
    """Whatever it could do above 215/s, from 190/s on it breaks."""

    def at(step: Step) -> Mapping[str, str]:
        slow = 190.0 < step.rate_per_s < 215.0
        return {"service": "constant:60ms"} if slow else {}

    found = find({"servers": "8", "service": "constant:10ms"}, P95, at=at)
    assert found.answer.status == "found"
    assert found.answer.sustainable_per_s is not None
    assert 180.0 <= found.answer.sustainable_per_s <= 190.0


def test_a_service_that_changes_meanwhile_gives_no_number() -> None:
    """From the twelfth step on every response takes half as long again: untrusted."""
    changed = {"service": "constant:15ms"}
    found = find(
        {"servers": "8", "service": "constant:10ms"},
        P95,
        at=lambda step: changed if step.index >= 11 else {},
    )
    assert found.answer.status == "untrusted"
    assert found.answer.sustainable_per_s is None
    assert "slower than at the start" in found.done.why


def test_the_highest_load_allowed_is_a_ceiling() -> None:
    """A search that never sees a failure says so, having seen the top load twice."""
    service = VirtualService({"servers": "8", "service": "constant:1ms"}, [parse_slo(P95)])
    controller = searcher(replace(STANDARD, to_per_s=300.0), 90.0, seed=1)
    found = search(service, controller)
    assert found.answer.status == "above_ceiling"
    assert found.answer.sustainable_per_s == 300.0
    assert [step.offered_per_s for step in found.history][-2:] == [300.0, 300.0]


def test_canaries_run_at_a_quarter_of_the_knee() -> None:
    """They are light enough not to disturb and are no evidence for any load."""
    flags = {"servers": "1", "service": "exponential:1ms"}
    service = VirtualService(flags, [parse_slo("p99<10ms")])
    controller = searcher(STANDARD, 90.0, seed=5)
    trials = controller.trials(search(service, controller).history)
    canaries = [trial.step.rate_per_s for trial in trials if trial.step.kind == "canary"]
    assert len(canaries) >= 2
    assert len(set(canaries)) == 1
    assert abs(canaries[0] / (CANARY_SHARE * 540.0) - 1.0) < 0.3


@dataclass
class Metastable:
    """Once it was offered more than `tips_per_s` it takes three times as long, from the next step.

    Only a load of `heals_per_s` or less brings it back.
    """

    tips_per_s: float
    heals_per_s: float
    tipped: bool = False
    last: Step | None = None

    def __call__(self, step: Step) -> Mapping[str, str]:
        """The flags of a step; a step asks as often as it has looks."""
        if self.last is not None and self.last.index != step.index:
            over, healed = self.tips_per_s, self.heals_per_s
            rate = self.last.rate_per_s
            self.tipped = rate > over or (self.tipped and rate > healed)
        self.last = step
        return {"service": "constant:30ms"} if self.tipped else {}


@pytest.mark.parametrize("effort", ["quick", "standard"])
def test_a_service_that_does_not_recover_is_suspected(effort: Effort) -> None:
    """It carries 800/s, and after an overload 267/s until nearly nobody comes.

    Only what it carries after an overload is credited to it.
    """
    service = VirtualService(
        {"servers": "8", "service": "constant:10ms"}, [parse_slo(P95)], at=Metastable(800.0, 60.0)
    )
    found = search(service, searcher(SEARCHES[effort], 150.0, seed=3)).answer
    assert found.status == "found"
    assert found.sustainable_per_s is not None
    assert found.sustainable_per_s <= 267.0
    assert any("hysteresis" in caveat for caveat in found.caveats)


def test_an_ordinary_service_is_not_suspected() -> None:
    """Chance turns a verdict near the knee now and then, but hardly ever by the way it came."""
    cell = Cell("M/M", 8, 10, 0.95)
    found = [search_cell(cell, SEARCHES["quick"], seed).answer for seed in range(20)]
    assert sum("hysteresis" in "".join(answer.caveats) for answer in found) <= 2


def test_both_edges_are_seen_both_ways() -> None:
    """The low one passed right after a failing load, the high one failed after another."""
    service = VirtualService({"servers": "8", "service": "exponential:10ms"}, [parse_slo(P95)])
    controller = searcher(STANDARD, 90.0, seed=3)
    trials = controller.trials(search(service, controller).history)
    bracket = Bracket.of(trials)
    ways = {
        (trial.step.rate_per_s, trial.verdict, overloaded_before(trials, index))
        for index, trial in enumerate(trials)
    }
    assert bracket.low is not None
    assert bracket.high is not None
    assert (bracket.low.rate_per_s, "pass", True) in ways
    assert (bracket.high.rate_per_s, "fail", False) in ways
