"""From the steps to the answer."""

from dataclasses import replace

import pytest
from fakes import record, with_failures

from breakstep.model.record import RequestRecord, Status, StepRecord, StopReason, VerdictName
from breakstep.model.slo import parse_slo
from breakstep.search.answer import Terms, answer, capacity_per_s, run_record
from breakstep.search.controller import Done

TERMS = Terms((parse_slo("p95<200ms"),), assumed=False, arrivals="poisson")


def steps(**verdicts: VerdictName) -> list[StepRecord]:
    """Steps named by their rate: `r100="pass"`."""
    return [
        record(index, float(name[1:]), verdict)
        for index, (name, verdict) in enumerate(verdicts.items())
    ]


@pytest.mark.parametrize(
    ("stop_reason", "history", "status", "held", "broken"),
    [
        ("broken", steps(r100="pass", r200="fail"), "found", 100.0, 200.0),
        ("floor", steps(r100="fail"), "below_floor", None, 100.0),
        ("ceiling", steps(r100="pass", r200="pass"), "above_ceiling", 200.0, None),
        ("untrusted", steps(r100="pass", r200="invalid"), "untrusted", None, None),
        ("untrusted", steps(r100="pass", r200="undecided"), "inconclusive", 100.0, None),
        ("interrupted", steps(r100="pass"), "inconclusive", 100.0, None),
        ("interrupted", steps(r100="pass", r200="fail"), "found", 100.0, 200.0),
        ("budget", steps(r100="fail"), "inconclusive", None, 100.0),
        ("interrupted", [], "inconclusive", None, None),
    ],
)
def test_the_stop_reason_and_the_steps_give_the_status(
    stop_reason: StopReason,
    history: list[StepRecord],
    status: Status,
    held: float | None,
    broken: float | None,
) -> None:
    """A number is given only where the steps carry it, and none when they are not trusted."""
    result = answer(history, Done(stop_reason, "…"), TERMS)
    assert (result.status, result.sustainable_per_s, result.broken_per_s) == (status, held, broken)
    assert (result.range_per_s is not None) == (status == "found")


def test_a_load_holds_only_if_every_lower_one_does() -> None:
    """A pass above a fail is not the answer, and is told."""
    history = steps(r100="pass", r200="fail", r300="pass")
    result = answer(history, Done("broken", "…"), TERMS)
    assert result.range_per_s == (100.0, 200.0)
    assert any("300/s held although 200/s failed" in caveat for caveat in result.caveats)


def test_the_majority_of_windows_decides_a_load() -> None:
    """Two passes outweigh the fail between them."""
    verdicts: list[VerdictName] = ["pass", "fail", "pass"]
    history = [record(k, 100.0, verdict) for k, verdict in enumerate(verdicts)]
    result = answer([*history, record(3, 105.0, "fail")], Done("broken", "…"), TERMS)
    assert result.range_per_s == (100.0, 105.0)
    assert any(c.startswith("1 of 3 windows at 100/s failed") for c in result.caveats)


def test_capacity_is_the_highest_ok_rate_of_a_stable_step() -> None:
    """Growing and invalid steps carry more than the service can go on with."""
    history = [
        record(0, 100.0),
        with_failures(record(1, 200.0, "fail"), http_error=500),
        record(2, 300.0, "fail", queue="growing"),
        record(3, 400.0, "invalid"),
    ]
    assert capacity_per_s(history) == 150.0
    assert capacity_per_s([]) is None


def test_the_run_keeps_what_held_even_when_it_is_not_trusted() -> None:
    """The answer is withheld, the record is not."""
    run = run_record(steps(r100="pass", r200="invalid"), Done("untrusted", "…"), seed=7)
    assert (run.seed, run.stop_reason) == (7, "untrusted")
    assert (run.sustainable_per_s, run.broken_per_s, len(run.steps)) == (100.0, None, 2)


def test_assumed_slos_are_said() -> None:
    """Nobody should take a bound we chose for one they set."""
    result = answer(steps(r100="pass"), Done("ceiling", "…"), replace(TERMS, assumed=True))
    assert result.caveats[0] == ("No SLO was given; assumed: p95<200ms. Name your own with --slo.")


def test_the_arrival_law_is_said() -> None:
    """The breaking point of evenly spaced arrivals is not that of random ones."""
    uniform = replace(TERMS, arrivals="uniform")
    assert "evenly spaced" in answer(steps(r100="pass"), Done("ceiling", "…"), uniform).caveats[0]


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (record(0, 100.0, queue="growing"), "queue was still growing"),
        (record(0, 100.0, trust="noisy"), "under strain at 100/s"),
        (record(0, 5.0), "p95 was judged on 50 arrivals"),
    ],
)
def test_doubt_about_the_load_that_held_is_a_caveat(step: StepRecord, words: str) -> None:
    """What makes the number weaker stands beside it."""
    caveats = answer([step], Done("ceiling", "…"), TERMS).caveats
    assert any(words in caveat for caveat in caveats)


def test_without_steps_there_is_nothing_to_qualify() -> None:
    """An answer that says nothing needs no caveat."""
    assert answer([], Done("interrupted", "…"), TERMS).caveats == ()


def test_a_quantile_of_few_arrivals_is_told_and_a_rare_request_has_fewer() -> None:
    """A thousand arrivals are enough for a p95 of all, and the forty of one request are not."""
    held, broken = steps(r100="pass", r200="fail")
    pay = RequestRecord(40, 40, held.outcomes, held.response_ms)
    history = [replace(held, requests={"pay": pay}), broken]
    asked = (parse_slo("p95<200ms"), parse_slo("pay: p90<200ms"), parse_slo("errors<1%"))
    few = "p90 of pay was judged on 40 arrivals, too few to know it well: hold longer."
    found = answer(history, Done("broken", "…"), replace(TERMS, slos=asked)).caveats
    assert few in found
    found = answer(history, Done("broken", "…"), replace(TERMS, slos=asked[::2])).caveats
    assert not any("too few" in caveat for caveat in found)
