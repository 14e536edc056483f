"""Lines of nginx's logs: what is counted, what is left out, and what clients cannot forge."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakstep.probe.nginx_log import (
    KINDS,
    LINES_MAX,
    AccessTally,
    ErrorTally,
    has_status,
    missing_labels,
)

HEAD = b'127.0.0.1 - - [30/Nov/2025:10:00:00 +0000] "GET / HTTP/1.1" '
COMBINED = HEAD + b'%d 612 "-" "agent"'
ERROR = b'2025/11/30 10:00:00 [%s] 12#12: *5 %s, client: 127.0.0.1, server: _, request: "GET /"\n'


def access(*lines: bytes) -> dict[str, float]:
    """The readings of these lines."""
    tally = AccessTally()
    tally.add(b"".join(line + b"\n" for line in lines))
    return {reading.name: reading.value for reading in tally.readings()}


def classes(*lines: bytes) -> list[float]:
    """The count of each class."""
    found = access(*lines)
    return [found[f"responses{{class={first}xx}}"] for first in range(1, 6)]


def errors(*lines: bytes) -> dict[str, float]:
    """What was counted, by kind."""
    tally = ErrorTally()
    tally.add(b"".join(lines))
    readings = tally.readings()
    assert {reading.name for reading in readings} == {f"errors{{says={kind}}}" for kind in KINDS}
    return {
        reading.name.removeprefix("errors{says=")[:-1]: reading.value
        for reading in readings
        if reading.value
    }


def test_counts_responses_by_class() -> None:
    """The status behind the quoted request decides, in the combined format and its kin."""
    statuses = (200, 204, 301, 404, 499, 502)
    assert classes(*(COMBINED % status for status in statuses)) == [0, 2, 1, 2, 1]
    assert classes(b'10.0.0.1 "GET / HTTP/1.1" 503 0') == [0, 0, 0, 0, 1]
    assert classes(b'"30/Nov/2025" h "GET / HTTP/1.1" 200') == [0, 1, 0, 0, 0]
    assert classes(b"t=1 status=404 rt=0.1", b"status=200") == [0, 1, 0, 1, 0]


def test_counts_go_on_and_start_at_zero() -> None:
    """Every class is there from the start, so that the first of a kind is a growth."""
    tally = AccessTally()
    assert [reading.value for reading in tally.readings()] == [0] * 5
    for _ in range(2):
        tally.add(COMBINED % 502 + b"\n")
        readings = tally.readings()
    assert [reading.value for reading in readings] == [0, 0, 0, 0, 2]
    assert all(reading.counter for reading in readings)


def test_a_format_without_status_counts_nothing() -> None:
    """No class is given rather than none counted."""
    assert access(b"1764500000.000 200 612") == {}
    assert not has_status(b"1764500000.000 200 612\n")
    assert has_status(COMBINED % 200)
    assert has_status(b"")


def test_times_are_found_by_their_labels() -> None:
    """In any order and quoting; the quantile is the smallest time that so many did not exceed."""
    lines = [
        COMBINED % 200 + b' rt=0.0%02d urt="0.0%02d" uct="0.001"' % (n, n - 1) for n in range(1, 21)
    ]
    found = access(*lines)
    assert found["request_time_p50"] == pytest.approx(10)
    assert found["request_time_p95"] == pytest.approx(19)
    assert found["upstream_time_p50"] == pytest.approx(9)
    assert found["upstream_time_p95"] == pytest.approx(18)
    assert found["upstream_connect_time_p95"] == pytest.approx(1)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (b'urt="0.010, 0.020"', 30.0),
        (b'rt="1" urt="0.010" uct="2"', 10.0),
        (b'x="y" (urt="0.010")', 10.0),
        (b"urt=0.010, 0.020 uct=-", 30.0),
        (b"urt=0.010 : 0.020, -, 1", 1030.0),
        (b"urt=-, 0.005,uct=1", 5.0),
        (b"urt=2", 2000.0),
        (b"urt=-", None),
        (b"urt=", None),
        (b"urt=1.2.3", None),
        (b"urt=0x10", None),
        (b"urt=9999999999999999999999", None),
        (b"surt=5 /?urt=6 &urt=7", None),
    ],
)
def test_a_retried_upstream_took_the_sum_of_its_tries(
    written: bytes, expected: float | None
) -> None:
    """Lists are summed, dashes are no time, and what is no number is left out."""
    found = access(HEAD + b"200 1 " + written)
    assert found.get("upstream_time_p50") == (expected and pytest.approx(expected))


def test_a_client_cannot_forge_a_status_or_a_time() -> None:
    """What stands in quotes was written by clients and is not searched."""
    forged = (
        b'h - - [t] "GET /?rt=9 status=500 rt=8" 200 5 "a rt=7" "b status=503 urt=6"'
        b' ua="c urt=5" start="urt=4" rt=0.001'
    )
    found = access(forged)
    assert found["responses{class=2xx}"] == 1
    assert found["responses{class=5xx}"] == 0
    assert found["request_time_p95"] == pytest.approx(1)
    assert "upstream_time_p95" not in found


def test_times_are_those_of_one_sample() -> None:
    """A reading lets go of its times; without lines there is none."""
    tally = AccessTally()
    tally.add(HEAD + b"200 1 rt=1.0\n")
    assert any(reading.name == "request_time_p50" for reading in tally.readings())
    assert not any(reading.name == "request_time_p50" for reading in tally.readings())


def test_of_many_lines_evenly_many_are_timed() -> None:
    """All responses are counted; times come from lines evenly among them."""
    tally = AccessTally()
    lines = (HEAD + b"200 1 rt=%d\n" % n for n in range(10 * LINES_MAX))
    tally.add(b"".join(lines))
    assert len(tally.times_ms["rt"]) == LINES_MAX
    found = {reading.name: reading.value for reading in tally.readings()}
    assert found["responses{class=2xx}"] == 10 * LINES_MAX
    assert found["request_time_p50"] == pytest.approx(5_000 * LINES_MAX, rel=0.01)


def test_tells_which_labels_are_missing() -> None:
    """By the lines at the end of the log; an empty log tells nothing."""
    assert missing_labels(COMBINED % 200) == ["rt", "urt", "uct"]
    assert missing_labels(HEAD + b"200 1 rt=1 uct=-") == ["urt"]
    assert missing_labels(b"") == []


@pytest.mark.parametrize(
    ("says", "kind"),
    [
        (
            b"upstream timed out (110: Connection timed out) while reading response header",
            "upstream timed out",
        ),
        (
            b"connect() failed (111: Connection refused) while connecting to upstream",
            "connect() failed",
        ),
        (
            b"connect() to unix:/run/php.sock failed (2: No such file or directory) while",
            "connect() failed",
        ),
        (
            b"connect() to unix:/run/php.sock failed (11: Resource temporarily unavailable) while",
            "connect() failed: temporarily unavailable",
        ),
        (b"no live upstreams while connecting to upstream", "no live upstreams"),
        (b"upstream prematurely closed connection while reading", "upstream prematurely closed"),
        (b"1024 worker_connections are not enough", "worker_connections are not enough"),
        (b"socket() failed (24: Too many open files) while connecting", "too many open files"),
        (b'limiting requests, excess: 5.1 by zone "one"', "limiting requests"),
        (b'limiting connections by zone "addr"', "limiting requests"),
        (b'open() "/x" failed (2: No such file or directory)', "other"),
    ],
)
def test_errors_are_grouped_by_what_they_say(says: bytes, kind: str) -> None:
    """Each saying of nginx falls into one of a few kinds."""
    assert errors(ERROR % (b"error", says)) == {kind: 1}


def test_notices_are_no_errors() -> None:
    """Below `error` only the known kinds count, and lines without a level do not."""
    assert errors(ERROR % (b"notice", b"signal process started")) == {}
    assert errors(ERROR % (b"warn", b"4 worker_connections are not enough, reusing")) == {
        "worker_connections are not enough": 1
    }
    assert errors(b"PHP message: upstream timed out\n", b"\n", b"[error]\n") == {}


def test_a_client_cannot_forge_an_error() -> None:
    """What stands behind the client's address is not searched."""
    line = ERROR.replace(b"GET /", b"GET /upstream timed out") % (b"error", b"directory index")
    assert errors(line, line) == {"other": 2}


@given(lines=st.one_of(st.binary(max_size=300), st.text('"=[]#*:,- \nrtu15.', max_size=200)))
def test_any_lines_are_counted_or_left_out(lines: bytes | str) -> None:
    """Nothing that stands in a log raises, and no value is negative."""
    data = (lines.encode() if isinstance(lines, str) else lines) + b"\n"
    both = AccessTally(), ErrorTally()
    for tally in both:
        tally.add(data)
        assert all(reading.value >= 0 for reading in tally.readings())
    missing_labels(data)


@pytest.mark.parametrize(
    "line", [b'"' * 60_000, b'" ' * 30_000, b"status=" * 9000, b"urt=1," * 10_000, b"[" * 60_000]
)
@pytest.mark.timeout(5)
def test_no_line_takes_long(line: bytes) -> None:
    """The longest line of the worst shape is looked at in linear time."""
    access(line)
    errors(line + b"\n")
    with suppress(ValueError):
        missing_labels(line)
