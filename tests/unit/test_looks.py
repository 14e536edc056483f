"""Judging a hold at a look."""

from dataclasses import replace

import numpy as np
from test_exceedance import times

from breakstep.analysis.looks import (
    Hold,
    cannot_judge,
    judge_at,
    level_of,
    needed_arrivals,
    queue_of,
)
from breakstep.analysis.rows import Rows
from breakstep.model.plan import Step
from breakstep.model.slo import parse_slo
from breakstep.model.units import NS_PER_S

P95 = parse_slo("p95<100ns")
ERRORS = parse_slo("errors<1%")
STEP = Step(0, 1e6, 0.0, 0, 0, 4_000_000, 1, looks_ns=(1_000_000, 2_000_000, 4_000_000))


def hold(rows: Rows, in_flight_start: int = 0) -> Hold:
    """The rows with a microsecond after the last."""
    return Hold(rows, 0, 1_000 * len(rows), in_flight_start, 10 * NS_PER_S)


def alternating(*pattern: int, count: int = 2_000) -> Rows:
    """The same times again and again: as independent as can be."""
    return times(*(pattern * (count // len(pattern))))


def test_a_clear_pass_says_by_how_much() -> None:
    """With the share, its bounds and what may be."""
    verdict = judge_at(STEP, [P95], hold(alternating(10, 20, 30, 40)))
    assert verdict.name == "pass"
    assert verdict.reasons[0].startswith("p95 was 40 ns, within 100 ns (0 % to ")
    assert verdict.reasons[0].endswith("5 % may be)")
    assert verdict.criteria[0].estimate is not None


def test_a_clear_fail_fails() -> None:
    """Every tenth is bad where every twentieth may be."""
    verdict = judge_at(STEP, [P95], hold(alternating(*[10] * 9, 200)))
    assert verdict.name == "fail"
    assert "above" in verdict.reasons[0]


def test_a_close_share_is_undecided() -> None:
    """5 % are bad and 5 % may be."""
    assert judge_at(STEP, [P95], hold(alternating(*[10] * 19, 200))).name == "undecided"


def test_every_slo_must_pass() -> None:
    """One undecided leaves the step open, one failed fails it."""
    close, strict = parse_slo("p95<100ns"), parse_slo("p50<5ns")
    rows = hold(alternating(*[10] * 19, 200))
    assert judge_at(STEP, [parse_slo("p50<100ns"), close], rows).name == "undecided"
    verdict = judge_at(STEP, [close, strict], rows)
    assert verdict.name == "fail"
    assert verdict.reasons == (verdict.criteria[1].says,)


def test_unfinished_arrivals_are_bad_for_latency_and_open_for_errors() -> None:
    """They are over every bound, but may still succeed."""
    rows = alternating(10)
    due = np.sort(np.concatenate([rows.intended_ns, rows.intended_ns[::10] + 1]))
    unfinished = replace(hold(rows.with_unfinished(due, 3_000_000)), until_ns=10 * NS_PER_S)
    verdict = judge_at(STEP, [P95, ERRORS], unfinished)
    assert [criterion.verdict for criterion in verdict.criteria] == ["fail", "undecided"]


def test_growing_fails_whatever_was_within() -> None:
    """Everything is within its bound so far, and a third of the arrivals are still inside."""
    rows = times(*[5_000_000] * 5_000)
    step, slos = STEP, [parse_slo("p95<10ms")]
    verdict = judge_at(step, slos, hold(rows))
    assert queue_of(hold(rows)) == "growing"
    assert verdict.name == "fail"
    assert verdict.reasons[0].startswith("arrivals outran completions: 0 in flight became")


def mixed(*slow_of_pay: int) -> Hold:
    """Four arrivals of `browse` at 10 ns for each of `pay`."""
    rows = alternating(10, 10, 10, 10, *slow_of_pay, count=len(slow_of_pay) * 4_000)
    request = np.where(rows.response_ns == 10, 0, 1)
    return replace(hold(replace(rows, request=request)), names=("browse", "pay"))


def test_an_slo_that_names_a_request_is_judged_on_its_arrivals_alone() -> None:
    """A fifth of the arrivals is slow: too many for all, none of one, every one of the other."""
    slos = [parse_slo("p95<100ns"), parse_slo("browse: p99<100ns"), parse_slo("pay: p50<100ns")]
    verdict = judge_at(STEP, slos, mixed(500))
    assert verdict.name == "fail"
    assert [(c.slo, c.verdict) for c in verdict.criteria] == [
        ("p95<100ns", "fail"),
        ("browse: p99<100ns", "pass"),
        ("pay: p50<100ns", "fail"),
    ]
    assert verdict.reasons == (verdict.criteria[0].says, verdict.criteria[2].says)
    assert verdict.reasons[1].startswith("pay: p50 was 500 ns, above 100 ns (")
    estimates = [criterion.estimate for criterion in verdict.criteria]
    assert [found and found.arrivals for found in estimates] == [4_000, 3_200, 800]


def test_a_slow_request_does_not_fail_another() -> None:
    """What is asked of the fast one holds, whatever the slow one does."""
    assert judge_at(STEP, [parse_slo("browse: p99<100ns")], mixed(500)).name == "pass"


def test_goodput_of_a_request_counts_by_the_tightest_bound_that_holds_for_it() -> None:
    """Its own or that of all; the bound of another request is none of its business."""
    asked = ["pay: goodput>97%", "browse: p99<1ns", "p50<1s"]
    others = [parse_slo(text) for text in asked]
    (goodput, *_) = judge_at(STEP, others, mixed(500)).criteria
    assert goodput.verdict == "pass"
    own = [*others, parse_slo("pay: p99<400ns")]
    (goodput, *_) = judge_at(STEP, own, mixed(500)).criteria
    assert (goodput.verdict, goodput.value) == ("fail", 0.0)


def test_a_request_without_an_arrival_is_undecided() -> None:
    """The others may pass, the load has not been tried on this one."""
    nobody = replace(mixed(500), names=("browse", "pay", "rare"))
    verdict = judge_at(STEP, [parse_slo("browse: p50<1s"), parse_slo("rare: p50<1s")], nobody)
    assert (verdict.name, verdict.reasons) == (
        "undecided",
        ("no arrival of rare was due in the window",),
    )


def test_an_empty_hold_is_undecided() -> None:
    """Nothing was due."""
    assert judge_at(STEP, [P95], hold(times())).name == "undecided"


def test_all_looks_share_one_chance_of_error() -> None:
    """0.05 over the looks; a confirmation has its own."""
    assert level_of(STEP) == 0.05 / 3
    assert level_of(replace(STEP, kind="confirm", looks_ns=(4_000_000,))) == 0.025


def test_the_arrivals_that_a_quantile_needs() -> None:
    """The logarithm of 0.05 over that of q."""
    assert [needed_arrivals(q) for q in (0.95, 0.99, 0.999, 0.9999)] == [59, 299, 2995, 29956]


def test_what_cannot_be_judged_is_said() -> None:
    """p99.9 at 10/s takes five minutes."""
    slow = parse_slo("p99.9<1s")
    assert cannot_judge(slow, 10.0, 300 * NS_PER_S) is None
    says = cannot_judge(slow, 10.0, 60 * NS_PER_S)
    assert says is not None
    assert says.startswith("p99.9 cannot be judged at 10/s in the time allowed: it takes")
    assert cannot_judge(ERRORS, 1.0, 1) is None
