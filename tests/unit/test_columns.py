"""Cells and reasons."""

from dataclasses import replace

from fakes import record, with_failures

from breakstep.report.columns import duration, errors_share, reason


def test_nothing_recorded_is_a_dash() -> None:
    """A quantile of no responses is not zero."""
    assert duration(None) == "–"


def test_errors_are_a_share_of_the_arrivals() -> None:
    """Whatever did not end ok is an error; no arrivals have none."""
    assert errors_share(with_failures(record(0, 100.0), timeout=250)) == 0.25
    assert errors_share(replace(record(0, 100.0), arrivals=0, ok=0)) == 0.0


def test_a_pass_needs_no_reason() -> None:
    """Only what did not pass is explained."""
    assert reason(record(0, 100.0)) is None


def test_a_step_that_was_cut_short_says_so_once() -> None:
    """The cut is told beside the reasons, unless it is the reason."""
    failed = record(0, 100.0, "fail", p95_ms=312.0)
    assert reason(replace(failed, cut_short="out of reach")) == (
        "100/s fail: p95 was 312 ms, above 200 ms; cut short: out of reach"
    )
    only = replace(failed, cut_short="x", verdict=replace(failed.verdict, reasons=("x",)))
    assert reason(only) == "100/s fail: x"
