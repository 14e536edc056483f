"""The host before the first load and after the last."""

import pytest
from test_host_noise import FakeSample, FakeWake

from breakstep.analysis.gate import (
    AFTER_THE_LAST_LOAD,
    BEFORE_THE_FIRST_LOAD,
    both_ends,
    gate_checks,
    gate_ns,
)
from breakstep.model.record import Check, TrustName
from breakstep.model.slo import parse_slo
from breakstep.model.units import NS_PER_S

P99 = parse_slo("p99<50ms")


def gate(late_ms: float, when: str) -> list[Check]:
    """Of a host whose slowest hundredth of wake-ups was so late."""
    return gate_checks(FakeSample([FakeWake(late_ms)]), [P99], when)


def test_a_gate_takes_a_fortieth_of_the_load() -> None:
    """Half a second at least, ten at most."""
    lengths_s = [gate_ns(round(load_s * NS_PER_S)) / NS_PER_S for load_s in (1, 60, 100, 900)]
    assert lengths_s == [0.5, 1.5, 2.5, 10.0]


def test_what_is_found_says_when() -> None:
    """Each check has a name of its own, which no step's has."""
    checks = gate(12.0, BEFORE_THE_FIRST_LOAD)
    assert {check.name for check in checks} == {"wakeups_before", "steal_before"}
    assert checks[0].says.startswith("before the first load 1 % of wake-ups")
    assert {check.name for check in gate(1.0, AFTER_THE_LAST_LOAD)} == {
        "wakeups_after",
        "steal_after",
    }


@pytest.mark.parametrize(
    ("before_ms", "after_ms", "expected"),
    [
        (1.0, 1.0, ("trusted", "trusted")),
        (3.0, 1.0, ("noisy", "trusted")),
        (12.0, 1.0, ("noisy", "trusted")),
        (12.0, 3.0, ("noisy", "noisy")),
        (12.0, 12.0, ("invalid", "invalid")),
    ],
)
def test_only_a_host_that_is_unfit_at_both_ends_gives_no_number(
    before_ms: float, after_ms: float, expected: tuple[TrustName, TrustName]
) -> None:
    """A passing disturbance is a label: its steps are judged by what they met themselves."""
    before, after = gate(before_ms, BEFORE_THE_FIRST_LOAD), gate(after_ms, AFTER_THE_LAST_LOAD)
    found = {check.name: check.verdict for check in both_ends(before, after)}
    assert (found["wakeups_before"], found["wakeups_after"]) == expected


def test_a_run_that_was_interrupted_has_one_end() -> None:
    """Then it is a label at most."""
    assert [c.verdict for c in both_ends(gate(12.0, BEFORE_THE_FIRST_LOAD), [])] == [
        "noisy",
        "trusted",
    ]
