"""The books of a step, with intervals of a real engine at a port where nobody listens."""

from collections.abc import Sequence
from functools import cache

import pytest

from breakstep._engine import Engine, Interval, Segment, Tally, request_bytes
from breakstep.engine.ledger import Second, StepLedger

WORKERS = 2
RATE = 400.0
WARMUP_NS, HOLD_NS = 100_000_000, 300_000_000
PHASES = {0: "warmup", 1: "hold"}


@cache
def handed_over() -> tuple[Sequence[Interval], int, int]:
    """Everything two workers hand over of a warm-up and a hold, and when the hold is.

    Every arrival ends at once: unix sockets that do not exist refuse without a network.
    """
    engine = Engine(
        address="unix:/nowhere/socket",
        request=request_bytes("GET", "/", "h", [], b"", keep_alive=True),
        workers=WORKERS,
    )
    engine.start()
    start_ns = engine.now_ns() + 50_000_000
    hold_ns = start_ns + WARMUP_NS
    for from_ns, length_ns in ((start_ns, WARMUP_NS), (hold_ns, HOLD_NS)):
        engine.append(
            Segment(
                start_ns=from_ns,
                duration_ns=length_ns,
                from_per_s=RATE,
                to_per_s=RATE,
                arrivals="uniform",
            )
        )
    end_ns = hold_ns + HOLD_NS
    intervals: list[Interval] = []
    while engine.now_ns() < end_ns + 100_000_000:
        intervals += engine.drain(20_000_000)
    intervals += engine.stop()
    return intervals, hold_ns, end_ns


@pytest.fixture
def ledger() -> StepLedger:
    """Books that know the two segments."""
    return StepLedger({0: "warmup", 1: "hold"}, WORKERS)


def arrivals(seconds: Sequence[Second], phase: str) -> int:
    """Due in the seconds of one phase."""
    return sum(second.tally.arrivals for second in seconds if second.phase == phase)


def test_the_hold_has_its_own_arrivals_and_nothing_else(ledger: StepLedger) -> None:
    """All workers together, without the warm-up."""
    intervals, _, _ = handed_over()
    ledger.add(intervals)
    assert ledger.hold.arrivals == 120
    assert ledger.hold.outcomes["connect"] == 120


def test_what_comes_late_of_the_load_before_is_no_part_of_a_step() -> None:
    """Books of the hold alone, given everything, have the hold alone."""
    hold_only = StepLedger({1: "hold"}, WORKERS)
    intervals, _, _ = handed_over()
    hold_only.add(intervals)
    seconds = hold_only.take_finished() + hold_only.take_rest()
    assert (hold_only.hold.arrivals, sum(second.tally.arrivals for second in seconds)) == (120, 120)


def test_the_seconds_add_up_to_the_phases(ledger: StepLedger) -> None:
    """What leaves the books second by second is what was offered, whatever the hand-over."""
    intervals, _, _ = handed_over()
    finished: list[Second] = []
    for interval in intervals:
        ledger.add([interval])
        finished += ledger.take_finished()
    finished += ledger.take_rest()
    assert (arrivals(finished, "warmup"), arrivals(finished, "hold")) == (40, 120)
    assert all(second.all_ended for second in finished)


def test_seconds_finish_in_order_and_once(ledger: StepLedger) -> None:
    """A row is written when it is whole, and never again."""
    intervals, _, _ = handed_over()
    ledger.add(intervals)
    starts = [second.from_ns for second in ledger.take_finished()]
    assert starts == sorted(set(starts))
    assert ledger.take_finished() == []


def test_a_step_is_complete_when_its_hold_has_passed_in_every_worker(ledger: StepLedger) -> None:
    """Not before, and not while a second of load is still in the books."""
    intervals, _, end_ns = handed_over()
    assert not ledger.complete(end_ns)
    ledger.add(interval for interval in intervals if interval.worker == 0)
    ledger.take_finished()
    assert not ledger.complete(end_ns)
    ledger.add(interval for interval in intervals if interval.worker == 1)
    assert not ledger.complete(end_ns)
    ledger.take_finished()
    assert ledger.complete(end_ns)


def test_the_number_in_flight_is_known_at_the_edges_of_the_hold(ledger: StepLedger) -> None:
    """Where nobody answers nothing stays in flight; before any load there is nothing either."""
    intervals, hold_ns, end_ns = handed_over()
    ledger.add(intervals)
    assert (ledger.in_flight_at(hold_ns), ledger.in_flight_at(end_ns)) == (0, 0)
    assert ledger.in_flight_at(0) == 0


def test_the_cpu_time_of_the_hold_is_kept_for_each_worker(ledger: StepLedger) -> None:
    """Together it is the hold's, so that the busiest can be told."""
    intervals, _, _ = handed_over()
    ledger.add(intervals)
    cpu_ns = ledger.parts(1).worker_cpu_ns
    assert set(cpu_ns) == {0, 1}
    assert sum(cpu_ns.values()) == ledger.hold.cpu_ns


def test_the_last_second_is_the_latest_that_has_passed(ledger: StepLedger) -> None:
    """It is there to be shown before its arrivals have ended."""
    intervals, _, _ = handed_over()
    assert ledger.last_second() is None
    ledger.add(intervals)
    last = ledger.last_second()
    assert last is not None
    assert last.workers_past == WORKERS


def test_what_will_never_finish_can_be_taken(ledger: StepLedger) -> None:
    """After an interruption every second that was begun is kept."""
    intervals, _, _ = handed_over()
    ledger.add(interval for interval in intervals if interval.worker == 0)
    assert ledger.take_finished() == []
    rest = ledger.take_rest()
    assert arrivals(rest, "hold") == 60
    assert ledger.take_rest() == []


def test_a_second_has_not_ended_while_an_arrival_has_no_outcome() -> None:
    """An empty second has, one whose arrivals are all accounted for has."""
    second = Second(0, 1, "hold")
    assert second.all_ended
    intervals, _, _ = handed_over()
    for interval in intervals:
        second.tally.merge(interval.tally)
    assert second.all_ended


def test_hand_overs_in_any_order_add_up_to_the_same() -> None:
    """Merging is addition."""
    intervals, _, _ = handed_over()
    forth, back = Tally(), Tally()
    for interval in intervals:
        forth.merge(interval.tally)
    for interval in reversed(intervals):
        back.merge(interval.tally)
    assert (forth.arrivals, forth.outcomes) == (back.arrivals, back.outcomes)
    assert forth.histogram("connect").encode() == back.histogram("connect").encode()
