"""From what was measured to the record of a step."""

from dataclasses import replace
from struct import pack

import pytest
from measured import FullTally

from breakstep.engine.step_runner import Measurement, Window
from breakstep.model.outcome import OUTCOMES
from breakstep.model.plan import Plan, Scenario, Staircase, Step, Target
from breakstep.model.record import StepRecord
from breakstep.model.slo import parse_slo
from breakstep.session.record import Judge

S = 1_000_000_000
PLAN = Plan(
    Target("http://h/", "h", 80, tls=False, addresses=("127.0.0.1",)),
    (Scenario("GET", "/"),),
    Staircase((400.0,)),
    slos=(parse_slo("p95<200ms"), parse_slo("errors<5%")),
)
JUDGE = Judge(PLAN, epoch_wall_ns=7 * S)
STEP = Step(3, 400.0, ramp_from_per_s=0.0, ramp_ns=0, warmup_ns=0, hold_ns=2 * S, seed=1)
TALLY = FullTally(
    ok_ms=[20.0] * 96,
    failed={"http_error": 2, "timeout": 1, "dropped": 1},
    lateness_ms=[0.1] * 99,
    cpu_ns=S,
    statuses={200: 96, 503: 2},
    causes={"no complete response": 1},
    connections_opened=9,
    retried=4,
    unsolicited=5,
    bytes_in=600,
    bytes_out=700,
    in_flight_ns=16 * S,
    run_delay_ns=S // 50,
)
MEASURED = Measurement(
    window=Window(
        step=STEP, from_ns=10 * S, to_ns=12 * S, in_flight_start=7, rows=b"", due_ns=None
    ),
    tally=TALLY.as_engines,
    in_flight_end=8,
    in_flight_max=12,
    busiest_worker_cpu_ns=S // 2,
    cut_short=None,
    interrupted=False,
)


def recorded(measured: Measurement, judge: Judge = JUDGE) -> StepRecord:
    """The record of a first step, on a host that nobody watched."""
    return judge.record(measured, None, None)


def measured_with(tally: FullTally) -> Measurement:
    """The same window with other arrivals."""
    return replace(MEASURED, tally=tally.as_engines)


def test_counts_are_those_of_the_window() -> None:
    """Arrivals, outcomes, statuses and causes as they were, nothing merged."""
    record = recorded(MEASURED)
    assert (record.index, record.offered_per_s) == (3, 400.0)
    assert (record.arrivals, record.sent, record.completed, record.ok) == (100, 99, 98, 96)
    assert sum(record.outcomes.values()) == 100
    assert record.statuses == {200: 96, 503: 2}
    assert record.causes == {"no complete response": 1}
    assert (record.connections_opened, record.retried, record.unsolicited) == (9, 4, 5)
    assert (record.bytes_in, record.bytes_out) == (600, 700)


def test_rates_are_counts_over_the_length_of_the_window() -> None:
    """Two seconds halve them."""
    record = recorded(MEASURED)
    assert (record.sent_per_s, record.completed_per_s, record.goodput_per_s) == (49.5, 49.0, 48.0)


def test_the_window_is_told_in_wall_time() -> None:
    """Seconds since 1970, from the engine's clock and its epoch."""
    record = recorded(MEASURED)
    assert (record.window_from, record.window_to) == (17.0, 19.0)


def test_in_flight_is_a_mean_over_time() -> None:
    """The integral over the window, divided by its length."""
    in_flight = recorded(MEASURED).in_flight
    assert (in_flight.mean, in_flight.max, in_flight.start, in_flight.end) == (8.0, 12, 7, 8)


def test_the_generator_is_told_as_shares_of_a_core() -> None:
    """All workers together, the busiest alone, and what they waited for a core."""
    generator = recorded(MEASURED).generator
    assert (generator.cpu_share, generator.busiest_worker_share) == (0.5, 0.25)
    assert generator.run_delay_share == pytest.approx(0.01)


def test_a_step_is_judged_by_every_slo() -> None:
    """Four failures of a hundred are within five per cent."""
    verdict = recorded(MEASURED).verdict
    assert verdict.name == "pass"
    assert [criterion.slo for criterion in verdict.criteria] == ["p95<200ms", "errors<5%"]


def test_a_pass_that_was_cut_short_is_a_fail() -> None:
    """The rest of its load was not offered, and the reason says why."""
    record = recorded(replace(MEASURED, cut_short="the backlog was too long"))
    assert record.cut_short == "the backlog was too long"
    assert (record.verdict.name, record.verdict.reasons) == ("fail", ("the backlog was too long",))


def test_an_interrupted_step_is_undecided() -> None:
    """Whatever its arrivals say, the rest of them is missing."""
    cut = replace(MEASURED, cut_short="interrupted", interrupted=True)
    verdict = recorded(cut).verdict
    assert (verdict.name, verdict.reasons) == ("undecided", ("interrupted",))


def test_a_step_of_a_saturated_generator_is_invalid() -> None:
    """Neither a pass nor a fail is believed."""
    saturated = replace(MEASURED, busiest_worker_cpu_ns=2 * S)
    record = recorded(saturated)
    assert (record.trust.verdict, record.verdict.name) == ("invalid", "invalid")


def test_a_spinning_generator_may_use_its_core() -> None:
    """It does so on purpose."""
    record = recorded(
        replace(MEASURED, busiest_worker_cpu_ns=2 * S), Judge(replace(PLAN, spin=True), 7 * S)
    )
    assert (record.trust.verdict, record.verdict.name) == ("trusted", "pass")


def mixed(*rows: tuple[int, str, int]) -> Measurement:
    """A window whose rows say: the request, how it ended, after how many ms."""
    told = b"".join(
        pack("<4Q", 10 * S + at, 10 * S + at, 10 * S + at + 1_000_000 * took, what)
        for at, (request, outcome, took) in enumerate(rows)
        for what in [OUTCOMES.index(outcome) | request << 8]
    )
    due = range(10 * S, 10 * S + len(rows))
    performed = [request for request, *_ in rows]
    window = replace(MEASURED.window, rows=told, due_ns=due, performed=performed)
    return replace(MEASURED, window=window)


MIX = replace(
    PLAN,
    scenarios=(Scenario("GET", "/", name="browse"), Scenario("POST", "/", name="pay")),
    slos=(parse_slo("pay: p95<200ms"),),
)


def test_each_request_of_several_is_a_series_of_its_own() -> None:
    """By name, in the order of the plan, with every outcome; a request alone is the step itself."""
    measured = mixed((0, "ok", 10), (1, "ok", 30), (1, "reset", 5), (0, "ok", 20))
    requests = recorded(measured, Judge(MIX, 7 * S)).requests
    assert list(requests) == ["browse", "pay"]
    assert (requests["browse"].arrivals, requests["browse"].response_ms.max) == (2, 20.0)
    assert (requests["pay"].ok, requests["pay"].outcomes["reset"]) == (1, 1)
    assert recorded(MEASURED).requests == {}


def test_a_step_without_looks_is_judged_by_the_rows_of_a_named_request() -> None:
    """All are fast enough together; the one that is asked about is not."""
    fast, slow = [(0, "ok", 10)] * 99, (1, "ok", 900)
    (missed,) = recorded(mixed(*fast, slow), Judge(MIX, 7 * S)).verdict.criteria
    assert (missed.verdict, missed.says) == ("fail", "pay: p95 was 900 ms, above 200 ms")
    (met,) = recorded(mixed(*fast, (1, "ok", 10)), Judge(MIX, 7 * S)).verdict.criteria
    assert met.verdict == "pass"


def test_a_window_without_an_arrival_is_undecided() -> None:
    """There is nothing to judge, and no rate is made up."""
    record = recorded(measured_with(FullTally()))
    assert (record.verdict.name, record.response_ms.p95) == ("undecided", None)
    assert (record.sent_per_s, record.queue) == (0.0, "unknown")


def test_a_window_without_length_has_rates() -> None:
    """An interruption at the very start divides by nothing."""
    empty = replace(MEASURED.window, to_ns=MEASURED.window.from_ns)
    record = recorded(replace(MEASURED, window=empty, interrupted=True))
    assert record.verdict.name == "undecided"
