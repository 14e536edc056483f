"""Rows in the form of sums."""

from struct import pack

from breakstep.analysis.rows import UNFINISHED, Rows
from breakstep.analysis.rows_tally import of_request
from breakstep.model.outcome import OUTCOMES

MS = 1_000_000


def ended(*entries: tuple[str, int]) -> Rows:
    """Arrivals at the instant 0 by outcome and response time, ms."""
    return Rows.decode(
        b"".join(pack("<4Q", 0, 0, MS * took, OUTCOMES.index(name)) for name, took in entries)
    )


def test_every_arrival_of_a_request_is_counted_by_how_it_ended() -> None:
    """All outcomes are there, those that did not happen too."""
    record = of_request(ended(("ok", 1), ("ok", 2), ("reset", 3)))
    assert (record.arrivals, record.ok) == (3, 2)
    assert record.outcomes == {**dict.fromkeys(OUTCOMES, 0), "ok": 2, "reset": 1}


def test_response_times_are_of_answers_and_of_waits() -> None:
    """A user felt a timeout; a reset says nothing of how long an answer takes."""
    record = of_request(ended(("ok", 1), ("http_error", 3), ("timeout", 8), ("reset", 99)))
    assert (record.response_ms.count, record.response_ms.mean) == (3, 4.0)
    assert (record.response_ms.p50, record.response_ms.max) == (3.0, 8.0)


def test_what_has_not_ended_is_an_arrival_without_an_outcome() -> None:
    """It is neither a success nor a failure of any kind."""
    unfinished = Rows.decode(pack("<4Q", 0, 2**64 - 1, 5 * MS, UNFINISHED))
    record = of_request(Rows.together(ended(("ok", 1)), unfinished))
    assert (record.arrivals, sum(record.outcomes.values())) == (2, 1)


def test_a_request_that_nobody_performed_has_no_times() -> None:
    """Nothing is made up for it."""
    record = of_request(ended())
    assert (record.arrivals, record.response_ms.p95) == (0, None)
