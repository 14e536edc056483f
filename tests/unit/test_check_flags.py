"""The flags of `check`: every fault at once, the looks, the blocks."""

import pytest
from plans import URL, loopback

from breakstep.model.check import ChangePlan, CheckPlan
from breakstep.model.errors import PlanError
from breakstep.model.units import NS_PER_S
from breakstep.plan.check_flags import Basis, CheckFlags, change_from_flags, check_from_flags
from breakstep.plan.words import Flags

SLO = ("p95<200ms",)


def check(flags: Flags, asked: CheckFlags) -> CheckPlan:
    """The gate of one load."""
    return check_from_flags(flags, asked, loopback)


def change(flags: Flags, asked: CheckFlags) -> ChangePlan:
    """The gate of a change."""
    return change_from_flags(flags, asked, loopback)


def faults(flags: Flags, asked: CheckFlags) -> list[str]:
    """The places of all faults."""
    with pytest.raises(PlanError) as error:
        (change if asked.of_a_change else check)(flags, asked)
    return [fault.partition(":")[0] for fault in error.value.faults]


def test_a_load_may_end_at_a_look_that_has_the_arrivals() -> None:
    """At 100/s a quarter of a minute is enough to look at; at 10/s only the end is."""
    many = check(Flags(URL, slo=SLO), CheckFlags(rate="100"))
    few = check(Flags(URL, slo=SLO), CheckFlags(rate="10"))
    assert [at_ns // NS_PER_S for at_ns in many.looks_ns] == [15, 30, 60]
    assert [at_ns // NS_PER_S for at_ns in few.looks_ns] == [60]


def test_the_rate_and_the_slos_come_from_a_run() -> None:
    """Unless they are given."""
    basis = Basis("a-run", 60.0, ("p99<1s",))
    taken = check(Flags(URL), CheckFlags(basis=basis))
    assert (taken.rate_per_s, [str(slo) for slo in taken.base.slos]) == (60.0, ["p99<1s"])
    assert taken.from_run == "a-run"
    given = check(Flags(URL, slo=SLO), CheckFlags(rate="10", basis=basis))
    assert (given.rate_per_s, [str(slo) for slo in given.base.slos]) == (10.0, ["p95<200ms"])
    assert given.from_run is None


def test_every_fault_of_a_load_is_listed() -> None:
    """Among them those of the flags that all verbs share."""
    flags = Flags("no url", arrivals="bursty")
    assert faults(flags, CheckFlags(for_="0s")) == ["--for", "--rate", "--slo", "URL", "--arrivals"]


def test_a_gate_needs_a_bound_of_its_own() -> None:
    """One assumed from what is tested would follow it wherever it goes."""
    assert faults(Flags(URL), CheckFlags(rate="10")) == ["--slo"]


def test_blocks_share_the_time() -> None:
    """44 s are twenty blocks of 2.2 s, a fifth of each for warming up."""
    plan = change(Flags(URL), CheckFlags(rate="100", against=URL))
    assert (plan.head.warmup_ns, plan.head.hold_ns) == (440_000_000, 1_760_000_000)
    assert plan.pairs == 10
    assert plan.loss == pytest.approx(0.15)


def test_the_base_is_another_target() -> None:
    """With the same request."""
    flags = Flags("http://127.0.0.1:8080/a", header=("X-A: b",))
    plan = change(flags, CheckFlags(rate="100", against="http://127.0.0.1:9090/a"))
    assert (plan.head.target.port, plan.base.target.port) == (8080, 9090)
    assert plan.base.scenarios == plan.head.scenarios


def test_every_fault_of_a_change_is_listed() -> None:
    """Each with its flag; those of the base are placed at --against."""
    asked = CheckFlags(rate="x", pairs=1, loss="much", against="ftp://h/", head_command="up")
    found = faults(Flags(URL), asked)
    assert found == [
        "--base-command",
        "--against names a base that runs already",
        "--rate",
        "--pairs",
        "--loss",
        "--against",
    ]


def test_blocks_of_a_few_arrivals_are_refused() -> None:
    """With the time that would be enough."""
    with pytest.raises(PlanError, match=r"--for: 20 blocks of 2 arrivals.*at least 1 250 s"):
        change(Flags(URL), CheckFlags(rate="1", against=URL))
