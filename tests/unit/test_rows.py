"""The engine's rows as arrays."""

from struct import pack

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakstep.analysis.rows import NEVER, OK, UNFINISHED, Rows
from breakstep.model.outcome import OUTCOMES

DROPPED = OUTCOMES.index("dropped")


def rows(*entries: tuple[int, int]) -> Rows:
    """Ok arrivals by intended start and end, ns."""
    return Rows.decode(b"".join(pack("<4Q", start, start, end, OK) for start, end in entries))


def test_rows_are_read_in_the_order_of_the_intended_starts() -> None:
    """However they ended, they are sorted by when they were due."""
    assert rows((30, 31), (10, 50), (20, 25)).intended_ns.tolist() == [10, 20, 30]


def test_a_dropped_arrival_was_never_sent_and_is_beyond_any_time() -> None:
    """2^64 − 1 is read as never; the response time is infinite."""
    read = Rows.decode(pack("<4Q", 5, 2**64 - 1, 90, DROPPED))
    assert read.sent_ns.tolist() == [NEVER]
    assert read.response_ns.tolist() == [np.inf]


def test_half_a_row_is_refused() -> None:
    """Bytes that are not whole rows are an error, not a guess."""
    with pytest.raises(ValueError, match="reshape"):
        Rows.decode(b"\0" * 40)


def test_until_leaves_out_the_instant_itself() -> None:
    """A look at 20 does not know the arrival due at 20."""
    assert len(rows((10, 11), (20, 21), (30, 31)).until(20)) == 1


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 9)), max_size=40), st.data())
def test_every_due_arrival_has_a_row(entries: list[tuple[int, int]], data: st.DataObject) -> None:
    """Seen or not, ties included, there are as many rows as arrivals were due."""
    due = sorted(start for start, _ in entries)
    seen = data.draw(st.lists(st.sampled_from(entries), unique_by=id)) if entries else []
    chosen = rows(*((start, start + took) for start, took in seen))
    whole = chosen.with_unfinished(np.array(due, np.int64), 100)
    # The same pair may stand in the list twice and be drawn as one object.
    assert len(whole) == len(due)
    assert whole.intended_ns.tolist() == due
    assert int(np.count_nonzero(whole.outcome == UNFINISHED)) == len(due) - len(seen)


@given(st.lists(st.integers(0, 2**16 - 1), max_size=20))
def test_a_row_tells_what_was_performed_and_how_it_ended(requests: list[int]) -> None:
    """The two share a word, and neither changes the other."""
    told = b"".join(
        pack("<4Q", at, at, at, DROPPED | request << 8) for at, request in enumerate(requests)
    )
    read = Rows.decode(told)
    assert read.request.tolist() == requests
    assert set(read.outcome.tolist()) <= {DROPPED}


def test_the_arrivals_of_a_request_are_those_that_performed_it() -> None:
    """Those that have not ended too, though no row tells of them."""
    told = b"".join(pack("<4Q", at, at, at + 5, OK | at % 2 << 8) for at in (10, 11, 13))
    performed = np.array([0, 1, 0, 1, 0, 1])
    due = np.array([10, 11, 12, 13, 14, 15])
    whole = Rows.decode(told).with_unfinished(due, 16, performed)
    assert whole.performing(1).intended_ns.tolist() == [11, 13, 15]
    assert whole.performing(0).outcome.tolist() == [OK, UNFINISHED, UNFINISHED]
    assert len(whole.performing(2)) == 0


@given(st.lists(st.integers(0, 5), max_size=30))
def test_requests_apart_are_those_asked_for_one_by_one(requests: list[int]) -> None:
    """Every arrival is in one of them, in the order of the intended starts."""
    told = b"".join(
        pack("<4Q", at, at, at, OK | request << 8) for at, request in enumerate(requests)
    )
    read = Rows.decode(told)
    parts = [part.intended_ns.tolist() for part in read.apart(6)]
    assert parts == [read.performing(number).intended_ns.tolist() for number in range(6)]


def test_lone_arrivals_met_nobody() -> None:
    """Only what found nothing in flight; the first is not known to have."""
    lone = rows((0, 10), (5, 30), (20, 25), (30, 33), (40, 41)).lone()
    assert lone.intended_ns.tolist() == [30, 40]
