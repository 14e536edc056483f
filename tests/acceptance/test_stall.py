"""A service that freezes for a moment: the step is measured again, and the answer stands."""

import pytest

import breakstep
from acceptance.again import proven, valid_steps
from acceptance.target import target
from breakstep import Result

pytestmark = pytest.mark.sockets


def test_one_freeze_of_the_service_does_not_break_a_staircase() -> None:
    """The load it met fails once and holds twice, the answer is the highest load and says why.

    The freeze lasts a second and holds follow one another, so one of them has half of it at least.
    """

    def holds(result: Result) -> None:
        steps = valid_steps(result)
        (frozen,) = (step for step in steps if step.verdict.name == "fail")
        assert (frozen.response_ms.max or 0.0) > 400.0
        verdicts = [s.verdict.name for s in steps if s.offered_per_s == frozen.offered_per_s]
        assert verdicts == ["fail", "pass", "pass"]
        assert (result.answer.status, result.answer.sustainable_per_s) == ("above_ceiling", 200.0)
        assert any("1 of 3 windows" in caveat for caveat in result.answer.caveats)

    proven(frozen_once, holds)


def frozen_once() -> Result:
    """Three light loads on a service that stands still for a second, three seconds on."""
    with target("--servers", "8", "--service", "constant:20ms", "--stall-once", "1s@3s") as url:
        return breakstep.find(url, slo="p95<100ms", steps=[100, 150, 200], hold="2s", warmup="0s")
