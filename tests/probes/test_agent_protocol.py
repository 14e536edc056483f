"""What is made of an agent's words: nothing worse than ValueError, and no more than is bounded."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakstep.model.errors import ProbeError
from breakstep.model.signal import Sample, Signal
from breakstep.probe.agent_guard import (
    BURST_S,
    NEAR_S,
    SERIES_OF_AGENT_MAX,
    Allowance,
    Guard,
)
from breakstep.probe.agent_protocol import (
    COUNT_MAX,
    LINE_MAX,
    NAME_MAX,
    PROBES_MAX,
    ROWS_MAX,
    Health,
    Hello,
    Pong,
    Refused,
    Row,
    Rows,
    States,
    line,
    parse,
    samples_lines,
)

NOW_S = 1_800_000_000.0
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(
            st.sampled_from(["hello", "probes", "samples", "rows", "pong", "states", "refused"]),
            inner,
        )
    ),
    max_leaves=30,
)


@given(st.binary(max_size=200) | _JSON.map(lambda document: json.dumps(document).encode()))
def test_no_line_of_an_agent_does_worse_than_valueerror(text: bytes) -> None:
    """Bytes and JSON of any shape are a message or a ValueError."""
    try:
        parse(text)
    except ValueError:
        return


@pytest.mark.parametrize(
    "text",
    [b"[" * 100_000, b'{"pong":' + b"9" * 5_000 + b"}", b"\xff\xfe{", b"null", b"{}", b""],
)
def test_what_json_itself_stumbles_over_is_a_valueerror(text: bytes) -> None:
    """Depth, numbers of thousands of digits, other encodings, and JSON that is no message."""
    with pytest.raises(ValueError, match=r"\S"):
        parse(text)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"hello": "web1", "probes": [["host", "host"]]}, Hello("web1", {"host": "host"})),
        ({"hello": "w", "probes": [["x", "quantum"], 3, ["a", "agent"]]}, Hello("w", {})),
        ({"refused": "full\x1b[2J"}, Refused("full\\x1b[2J")),
        ({"pong": 3, "received_s": 1, "answered_s": 2.5}, Pong(3, 1.0, 2.5)),
        ({"states": [["host", -4, None]]}, States((Health("host", 0, None),))),
        ({"states": [["host", 10**30, "a\nb"]]}, States((Health("host", COUNT_MAX, "a\\nb"),))),
        (
            {"samples": "h", "rows": [["cpu", "share", 1, 2]]},
            Rows("h", (Row("cpu", "share", 1, 2),), 0),
        ),
    ],
)
def test_a_message_means_what_the_table_says(document: Any, message: object) -> None:
    """Control characters are written out, counts bounded, unknown kinds left aside."""
    assert parse(line(document)) == message


@pytest.mark.parametrize(
    "row",
    [
        ["cpu", "share", NOW_S],
        ["cpu", "share", NOW_S, True],
        ["cpu", "share", NOW_S, None],
        ["cpu", "share", NOW_S, "1"],
        ["cpu", "share", NOW_S, float("nan")],
        ["cpu", "share", float("inf"), 1.0],
        ["cpu", "share", NOW_S, 10**400],
        ["", "share", NOW_S, 1.0],
        ["c\npu", "share", NOW_S, 1.0],
        ["c\ud800pu", "share", NOW_S, 1.0],
        ["cpu", "\x1b[31m", NOW_S, 1.0],
        ["c" * (NAME_MAX + 1), "share", NOW_S, 1.0],
        {"cpu": 1},
    ],
)
def test_a_row_without_sense_costs_itself_and_is_counted(row: object) -> None:
    """The others of its line are kept."""
    good = ["cpu", "share", NOW_S, 0.5]
    text = json.dumps({"samples": "host", "rows": [row, good]}).encode()
    assert parse(text) == Rows("host", (Row("cpu", "share", NOW_S, 0.5),), 1)


@given(st.integers(0, 3 * ROWS_MAX), st.text(min_size=1, max_size=2 * NAME_MAX))
def test_samples_arrive_as_they_were_sent(count: int, name: str) -> None:
    """Lines keep their bound, rows their order; a name beyond the bound is counted as lost."""
    signal = Signal("host", "host", name, "share")
    lines = list(samples_lines("host", [Sample(signal, NOW_S + k, k / 7) for k in range(count)]))
    messages = [parse(text) for text in lines]
    rows = [message for message in messages if isinstance(message, Rows)]
    kept = [row.value for message in rows for row in message.rows]
    nameable = name.isprintable() and len(name) <= NAME_MAX
    assert kept == ([k / 7 for k in range(count)] if nameable else [])
    assert len(kept) + sum(message.senseless for message in rows) == count


def test_the_longest_names_fit_into_a_line() -> None:
    """Even when every character takes twelve bytes to write."""
    signal = Signal("host", "host", "😀" * NAME_MAX, "😀" * 200)
    samples = [Sample(signal, NOW_S + 0.123, -1.23456e-300)] * ROWS_MAX
    (text,) = samples_lines("😀" * 200, samples)
    assert len(text) <= LINE_MAX


def test_no_more_probes_are_believed_than_there_may_be() -> None:
    """A hello of a million probes is one of the first few."""
    hello = parse(line({"hello": "h", "probes": [[f"p{k}", "host"] for k in range(1_000)]}))
    assert isinstance(hello, Hello)
    assert len(hello.kinds) == PROBES_MAX


def rows(*given: Row, label: str = "host") -> Rows:
    """Rows of one probe."""
    return Rows(label, given, 0)


def test_times_are_corrected_and_the_far_ones_left_out() -> None:
    """Seven seconds ahead is taken off; a minute away is not from now."""
    guard = Guard("web1", {"host": "host"})
    offsets = (0.0, -NEAR_S - 1.0, NEAR_S + 1.0)
    given_rows = rows(*(Row("cpu", "share", NOW_S + 7.0 + off, 0.5) for off in offsets))
    (sample,) = guard.samples(given_rows, 7.0, NOW_S)
    assert sample == Sample(Signal("web1/host", "host", "cpu", "share", 7.0), NOW_S, 0.5)
    assert dict(guard.dropped) == {"were more than 60 s from now": 2}


def test_a_series_stays_one_when_the_clock_is_known_better() -> None:
    """The offset in its signal is the first one; the times follow the latest."""
    guard = Guard("web1", {"host": "host"})
    row = Row("cpu", "share", NOW_S, 0.5)
    samples = [s for offset_s in (1.0, 1.01) for s in guard.samples(rows(row), offset_s, NOW_S)]
    assert samples[0].signal == samples[1].signal
    assert samples[0].at_s - samples[1].at_s == pytest.approx(0.01, abs=2e-3)


def test_a_probe_that_the_hello_did_not_name_is_not_heard() -> None:
    """Its kind would be unknown."""
    guard = Guard("web1", {"host": "host"})
    row = Row("cpu", "share", NOW_S, 0.5)
    assert list(guard.samples(rows(row, label="other"), 0.0, NOW_S)) == []
    assert sum(guard.dropped.values()) == 1


def test_series_are_bounded() -> None:
    """Names without end cost no memory without end; those known stay."""
    guard = Guard("web1", {"host": "host"})
    for first in range(0, SERIES_OF_AGENT_MAX + 100, 100):
        named = (Row(f"s{k}", "count", NOW_S, 1.0) for k in range(first, first + 100))
        list(guard.samples(rows(*named), 0.0, NOW_S))
    assert len(guard.signals) == SERIES_OF_AGENT_MAX
    assert sum(guard.dropped.values()) == 100
    assert list(guard.samples(rows(Row("s0", "count", NOW_S, 1.0)), 0.0, NOW_S))


def test_an_allowance_is_saved_up_for_seconds_and_then_overdrawn() -> None:
    """A burst after a pause is fine; a flood is an error with its measure."""
    allowance = Allowance("samples", 100.0, at_s=0.0)
    allowance.spend(int(100 * BURST_S), 1_000.0)
    allowance.spend(100, 1_001.0)
    with pytest.raises(ProbeError, match="more than 100 samples a second"):
        allowance.spend(101, 1_002.0)
