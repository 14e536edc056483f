"""The answer in plain language."""

from dataclasses import replace

import pytest
from fakes import record
from golden import assert_golden
from results import TERMS, result, staircase

from breakstep.model.record import Result
from breakstep.report.conclusion import conclusion
from breakstep.search.controller import Done

FAILED = record(0, 300.0, "fail", p95_ms=312.0)
OUT_OF_BREATH = replace(
    record(4, 500.0, "invalid", trust="invalid"),
    verdict=replace(
        FAILED.verdict,
        name="invalid",
        reasons=("the busiest generator thread used 98 % of a core: give it more --workers",),
    ),
)
NO_ARRIVALS = replace(
    record(0, 1.0, "undecided"),
    verdict=replace(
        FAILED.verdict, name="undecided", reasons=("no arrival was due in the window",)
    ),
)
CASES = {
    "found": result(staircase(), Done("broken", "")),
    "found-assumed": result(staircase(), Done("broken", ""), replace(TERMS, assumed=True)),
    "found-noisy": result(staircase(), Done("broken", ""), trust="noisy"),
    "below-floor": result([FAILED], Done("floor", "")),
    "indifferent": result(
        [FAILED],
        Done("floor", "errors<1% fails at 75/s and at 300/s alike: load does not matter, look"),
    ),
    "above-ceiling": result(staircase()[:3], Done("ceiling", "")),
    "generator-ceiling": result([*staircase()[:3], OUT_OF_BREATH], Done("ceiling", "")),
    "untrusted": result([*staircase()[:3], OUT_OF_BREATH], Done("untrusted", ""), trust="invalid"),
    "undecided": result([NO_ARRIVALS], Done("untrusted", "")),
    "interrupted": result(staircase()[:1], Done("interrupted", "")),
    "interrupted-found": result(staircase(), Done("interrupted", "")),
    "interrupted-at-once": result([], Done("interrupted", "")),
    "searched": replace(
        result(staircase(), Done("broken", "")),
        sections={
            "effort": {"says": "48 100 requests in 2 min; the breaking load is known to 5 %"}
        },
    ),
    "budget": result([FAILED], Done("budget", "")),
}


@pytest.mark.parametrize("name", CASES)
def test_the_conclusion_is_plain_language(name: str) -> None:
    """What was found, by which rule, on what it depends."""
    assert_golden(f"conclusion-{name}.txt", conclusion(CASES[name]) + "\n")


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_nothing_unknown_is_written_out(case: Result) -> None:
    """No None, no empty reason, no doubled stop."""
    text = conclusion(case)
    assert "None" not in text
    assert "unknown rate" not in text
    assert ".." not in text
    assert "  " not in text
