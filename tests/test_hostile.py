"""Hostile and unusual servers: the right outcome for every arrival, bounded memory, no hang."""

import resource
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from breakstep._engine import Engine, Tally, request_bytes
from servers.hostile import GZIP_BOMB, HEAD, RESPONSE, full_backlog, hostile
from servers.offer import offer

pytestmark = pytest.mark.sockets

RATE: Final = 50.0
SECONDS: Final = 0.6
ARRIVALS: Final = 30
TIMEOUT_S: Final = 0.5
SLACK_S: Final = 2.0
MEMORY_BYTES: Final = 50_000_000
PAGE_BYTES: Final = resource.getpagesize()


@dataclass(frozen=True, slots=True)
class Case:
    """A behaviour of the server, and how each arrival ends against it."""

    behaviour: str
    outcome: str
    method: str = "GET"
    tls: bool = False
    counters: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.behaviour}{'_over_tls' if self.tls else ''}"


FAILURES: Final = (
    Case("never_answers", "timeout", counters={"sent": ARRIVALS, "bytes_in": 0}),
    Case("one_byte_a_second", "timeout"),
    Case("endless_headers", "protocol"),
    Case("endless_header_line", "protocol"),
    Case("endless_status_line", "protocol"),
    Case("endless_1xx", "protocol"),
    Case("endless_body", "timeout"),
    Case("endless_chunks", "timeout"),
    Case("endless_chunk_extension", "protocol"),
    Case("endless_trailers", "protocol"),
    Case("length_too_long", "reset"),
    Case("length_overflows", "protocol"),
    Case("length_negative", "protocol"),
    Case("two_lengths", "protocol"),
    Case("bad_chunk_size", "protocol"),
    Case("bad_chunk_end", "protocol"),
    Case("chunk_size_overflows", "protocol"),
    Case("garbage", "protocol"),
    Case("ssh_banner", "protocol"),
    Case("reset_before", "reset", counters={"retried": 0}),
    Case("reset_in_head", "reset"),
    Case("reset_in_body", "reset"),
    Case("closes_without_answer", "reset", counters={"retried": 0, "sent": ARRIVALS}),
    Case("closes_in_head", "reset"),
    Case("closes_in_chunk", "reset"),
    Case("tls_alert", "protocol"),
    Case("never_answers", "tls", tls=True, counters={"sent": 0}),
    Case("plain_text_to_tls", "tls", tls=True, counters={"sent": 0}),
)

ANSWERS: Final = (
    Case("reset_after", "ok"),
    Case("length_too_short", "ok", counters={"unsolicited": ARRIVALS}),
    Case("closes_idle_connections", "ok"),
    Case("floods_idle_connections", "ok"),
    Case("http_1_0", "ok", counters={"connections_opened": ARRIVALS}),
    Case("ends_by_closing", "ok", counters={"connections_opened": ARRIVALS}),
    Case("says_it_closes", "ok", counters={"connections_opened": ARRIVALS}),
    Case("chunked_with_trailers", "ok", counters={"connections_opened": 1}),
    Case("early_hints_first", "ok", counters={"connections_opened": 1}),
    Case("no_content", "ok", counters={"connections_opened": 1}),
    Case("not_modified", "ok", counters={"connections_opened": 1}),
    Case("redirect", "ok", counters={"connections_opened": 1}),
    Case("answers_head", "ok", "HEAD", counters={"bytes_in": ARRIVALS * len(HEAD)}),
    Case("split_at_every_byte", "ok", counters={"connections_opened": 1}),
    Case("gzip_bomb", "ok", counters={"connections_opened": 1}),
    Case("not_found", "http_error", counters={"connections_opened": 1}),
    Case("unavailable", "http_error"),
)


@pytest.mark.parametrize("case", FAILURES, ids=str)
def test_every_arrival_fails_with_its_outcome_and_a_cause(case: Case) -> None:
    """No arrival is lost, merged or left open, and each failure has a cause."""
    tally = _offer(case)

    assert _ended(tally) == {case.outcome: ARRIVALS}
    assert sum(tally.causes.values()) == ARRIVALS
    assert (tally.completed, tally.completed_ok, tally.statuses) == (0, 0, {})
    assert _counters(tally, case) == case.counters


@pytest.mark.parametrize("case", ANSWERS, ids=str)
def test_every_arrival_gets_a_complete_response(case: Case) -> None:
    """What HTTP allows, and what harms only the connection, is an answer."""
    tally = _offer(case)

    assert _ended(tally) == {case.outcome: ARRIVALS}
    assert tally.sent == tally.completed == sum(tally.statuses.values()) == ARRIVALS
    assert _counters(tally, case) == case.counters


def test_unasked_bytes_on_an_idle_connection_close_it() -> None:
    """The flood is not read into memory and not taken for the next response."""
    tally = _offer(Case("floods_idle_connections", "ok"))

    assert tally.unsolicited > 0
    assert tally.bytes_in < 2 * ARRIVALS * len(RESPONSE)


def test_a_request_that_meets_a_closed_connection_is_sent_once_more() -> None:
    """All but the first find their connection closing; a repetition is not another send."""
    tally = _offer(Case("closes_when_used_again", "ok"))

    assert _ended(tally) == {"ok": ARRIVALS}
    assert (tally.sent, tally.retried) == (ARRIVALS, ARRIVALS - 1)
    assert tally.connections_opened == ARRIVALS


def test_a_response_with_extra_bytes_counts_only_its_own_length() -> None:
    """A Content-Length of 60 with 100 bytes behind it is a body of 60 and a closed connection."""
    tally = _offer(Case("length_too_short", "ok"))

    assert tally.connections_opened == ARRIVALS
    assert tally.retried == 0


def test_a_compressed_body_is_counted_as_received() -> None:
    """Bodies are never unpacked, so a bomb is only as large as it is on the wire."""
    tally = _offer(Case("gzip_bomb", "ok"))

    assert tally.bytes_in == ARRIVALS * len(GZIP_BOMB)


def test_arrivals_beyond_the_in_flight_cap_are_dropped_when_their_time_is_up() -> None:
    """With one connection and no answers the queue drains by timeouts, never by forgetting."""
    with hostile("never_answers") as address:
        engine = _engine(address, "GET", tls=False, max_in_flight=1)
        tally = offer(engine, RATE, SECONDS, patience_s=TIMEOUT_S + SLACK_S)

    ended = _ended(tally)
    assert tally.arrivals == sum(ended.values()) == ARRIVALS
    assert set(ended) <= {"timeout", "dropped"}
    assert tally.sent == ended["timeout"]


def test_a_port_where_nobody_listens_is_a_connect_failure() -> None:
    """Refused connections end their arrivals at once."""
    with hostile("never_answers") as address:
        pass
    tally = offer(_engine(address, "GET", tls=False), RATE, SECONDS)

    assert _ended(tally) == {"connect": ARRIVALS}
    assert sum(tally.causes.values()) == ARRIVALS
    assert tally.sent == 0


def test_a_connection_that_is_never_accepted_is_a_connect_failure() -> None:
    """A full backlog leaves connections half open; each arrival gives up at its own timeout."""
    with full_backlog() as address:
        engine = _engine(address, "GET", tls=False)
        tally = offer(engine, RATE, SECONDS, patience_s=TIMEOUT_S + SLACK_S)

    assert _ended(tally) == {"connect": ARRIVALS}
    assert sum(tally.causes.values()) == ARRIVALS
    assert tally.sent == 0


def test_stopping_during_a_flood_returns_at_once() -> None:
    """`stop` does not wait for a response that never ends."""
    with hostile("endless_body") as address:
        engine = _engine(address, "GET", tls=False)
        with pytest.raises(TimeoutError):
            offer(engine, RATE, SECONDS, patience_s=-0.3)
        before = time.monotonic()
        engine.stop()

    assert time.monotonic() - before < 1.0


def _offer(case: Case) -> Tally:
    with hostile(case.behaviour) as address:
        engine = _engine(address, case.method, tls=case.tls)
        before = _resident_bytes()
        tally = offer(engine, RATE, SECONDS, patience_s=TIMEOUT_S + SLACK_S)
        grown = _resident_bytes() - before
    assert tally.arrivals == ARRIVALS
    assert grown < MEMORY_BYTES
    return tally


def _engine(address: str, method: str, *, tls: bool, max_in_flight: int = 1_000) -> Engine:
    return Engine(
        address=address,
        request=request_bytes(method, "/", "localhost", [], b"", keep_alive=True),
        head_only=method == "HEAD",
        tls_server_name="localhost" if tls else None,
        insecure=tls,
        max_in_flight=max_in_flight,
        timeout_ns=round(TIMEOUT_S * 1e9),
    )


def _ended(tally: Tally) -> dict[str, int]:
    return {outcome: number for outcome, number in tally.outcomes.items() if number}


def _counters(tally: Tally, case: Case) -> dict[str, int]:
    return {name: getattr(tally, name) for name in case.counters}


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_BYTES
