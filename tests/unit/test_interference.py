"""What a load beside it does to an endpoint: ratios over repeats, or why there are none."""

from dataclasses import replace

import pytest
from fakes import record, trust_of, with_failures

from breakstep.analysis.interference import interference, ok_per_s
from breakstep.model.errors import PlanError
from breakstep.model.interfere import Offer, Pair
from breakstep.model.record import Durations, StepRecord
from breakstep.plan.interfere_flags import OfferFlags, interfere_from_flags
from breakstep.plan.words import Flags

VICTIM, BULLY = "http://127.0.0.1:1/a", "http://127.0.0.1:1/b"


def test_ratios_are_under_load_over_alone_as_lowest_median_and_highest() -> None:
    """Three repeats, of which each keeps another share."""
    pairs = [pair(100.0, kept, 10.0, 10.0 * slower) for kept, slower in ((20, 4), (10, 9), (50, 2))]
    found = interference(pairs, interrupted=False)
    assert found.throughput_ratio == pytest.approx((0.1, 0.2, 0.5))
    assert found.p99_ratio == pytest.approx((2.0, 4.0, 9.0))
    assert found.why == ""


def test_nothing_is_said_of_a_generator_that_was_not_fit() -> None:
    """One untrusted side of one repeat withholds both ratios."""
    good = pair(100.0, 50, 10.0, 20.0)
    bad = replace(good, alone=replace(good.alone, trust=trust_of("invalid")))
    found = interference([good, bad], interrupted=False)
    assert found.throughput_ratio is None
    assert found.p99_ratio is None
    assert "generator was not fit" in found.why
    assert found.trust.verdict == "invalid"


def test_an_endpoint_that_never_answered_alone_has_no_ratio() -> None:
    """Nothing over nothing is not one."""
    whole = pair(100.0, 50, 10.0, 20.0)
    dead = replace(whole, alone=with_failures(whole.alone, timeout=whole.alone.arrivals))
    found = interference([replace(dead, alone=replace(dead.alone, ok=0))], interrupted=False)
    assert found.throughput_ratio is None
    assert "nothing was answered" in found.why


def test_an_endpoint_that_is_starved_keeps_nothing_and_has_no_p99() -> None:
    """Throughput falls to 0; how long the answers took that never came is not known."""
    whole = pair(100.0, 50, 10.0, 20.0)
    nothing = Durations(0, *(None,) * 10)
    starved = replace(whole.under_load, ok=0, response_ms=nothing)
    found = interference([replace(whole, under_load=starved)], interrupted=False)
    assert found.throughput_ratio == (0.0, 0.0, 0.0)
    assert found.p99_ratio is None
    assert "under load nothing was answered" in found.why


def test_interrupted_before_the_first_pair_says_so() -> None:
    """Not a zero, and not a crash."""
    found = interference([], interrupted=True)
    assert found.throughput_ratio is None
    assert "interrupted" in found.why


def test_every_fault_of_the_flags_is_told_at_once() -> None:
    """Both sides, the number of repeats and a probe that is none."""
    offers = (OfferFlags("victim", rate="fast", connections=3), OfferFlags("bully", connections=0))
    with pytest.raises(PlanError) as error:
        interfere_from_flags(Flags(url=VICTIM, probe=("nonsense",)), BULLY, offers, 0)
    text = "\n".join(error.value.faults)
    for part in (
        "--victim-rate and --victim-connections: give one of them",
        "--victim-rate: 'fast'",
        "--bully-connections: between 1 and 10000",
        "--repeat: between 1 and 100",
        "'nonsense' is no kind of probe",
    ):
        assert part in text


def test_what_is_not_said_of_the_load_is_ten_connections_against_four() -> None:
    """The bully has none of the victim's probes and none of its body."""
    flags = Flags(url=VICTIM, probe=("host",), data="x")
    plan = interfere_from_flags(flags, BULLY, (OfferFlags("victim"), OfferFlags("bully")))
    assert (plan.victim_offer, plan.bully_offer) == (Offer(connections=10), Offer(connections=4))
    assert plan.victim.probes
    assert plan.bully.probes == ()
    assert plan.bully.scenarios[0].method == "GET"


def pair(alone_per_s: float, kept: float, p99_ms: float, slower_ms: float) -> Pair:
    """A repeat in which so many of a hundred are kept, and p99 becomes so long."""
    alone = timed(record(0, alone_per_s), p99_ms)
    under = timed(record(1, alone_per_s), slower_ms)
    under = replace(under, ok=round(alone.ok * kept / 100.0))
    assert ok_per_s(alone) > 0.0
    return Pair(alone, under, record(1, 10.0))


def timed(step: StepRecord, p99_ms: float) -> StepRecord:
    """The step with this p99."""
    return replace(step, response_ms=replace(step.response_ms, p99=p99_ms))
