"""The FastCGI codec: what it sends, and what it makes of anything that comes back."""

import struct
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakstep.probe.fastcgi import Answer, Page, encode_get

HEADERS = b"Content-Type: application/json\r\n\r\n"
END = b"\x01\x03\x00\x01\x00\x08\x00\x00" + bytes(8)


def record(kind: int, content: bytes, *, request: int = 1, padding: int = 0) -> bytes:
    """One record."""
    head = struct.pack(">BBHHBB", 1, kind, request, len(content), padding, 0)
    return head + content + bytes(padding)


def answer(data: bytes, limit_bytes: int = 10_000) -> Answer:
    """What has come of these bytes."""
    result = Answer(limit_bytes)
    result.feed(data)
    return result


def test_a_request_is_the_bytes_of_the_specification() -> None:
    """Begin as a responder without keeping the connection, the parameters, and no body."""
    sent = encode_get("/s", "json")
    begin, rest = sent[:16], sent[16:]
    assert begin == bytes.fromhex("0101 0001 0008 0000 0001 00 0000000000")
    params, rest = rest[8 : 8 + rest[5] + 256 * rest[4]], rest[8 + rest[5] + 256 * rest[4] :]
    assert params.startswith(b"\x0e\x03REQUEST_METHODGET\x0b\x02SCRIPT_NAME/s")
    assert params.endswith(b"\x0b\x07REQUEST_URI/s?json\x0c\x04QUERY_STRINGjson")
    assert rest == bytes.fromhex("0104 0001 0000 0000 0105 0001 0000 0000")


def test_a_long_parameter_has_four_bytes_of_length() -> None:
    """Beyond 127 bytes a length takes four, its highest bit set."""
    path = "/" + "s" * 200
    assert b"\x0b" + struct.pack(">I", 201 | 1 << 31) + b"SCRIPT_NAME/ss" in encode_get(path, "")
    with pytest.raises(ValueError, match="too long"):
        encode_get("/" + "s" * 30_000, "")


def test_an_answer_is_joined_from_its_records() -> None:
    """Output over several records, padding and words of trouble beside it."""
    data = record(6, HEADERS[:10], padding=3) + record(7, b"oh") + record(6, HEADERS[10:] + b"{}")
    result = answer(data + record(6, b"") + END)
    assert result.ended
    assert result.page() == Page(200, b"{}", b"oh")


def test_a_status_other_than_200_is_told() -> None:
    """The status stands in a header of its own."""
    page = answer(record(6, b"X: y\r\nStatus: 404 Not Found\r\n\r\nno") + END).page()
    assert (page.status, page.body) == (404, b"no")


@given(cuts=st.lists(st.integers(1, 40)))
def test_where_the_bytes_are_cut_makes_no_difference(cuts: list[int]) -> None:
    """An answer is the same however it arrives."""
    data = record(7, b"oh", padding=6) + record(6, HEADERS + b"{}") + END
    result = Answer(1000)
    for size in cuts:
        result.feed(data[:size])
        data = data[size:]
    result.feed(data)
    assert result.page() == Page(200, b"{}", b"oh")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n", "not FastCGI"),
        (record(6, b"x", request=2), "request 2"),
        (record(0, b""), "type 0"),
        (record(3, b"\0"), "type 3 and 1 bytes"),
        (record(3, b"\0\0\0\0\2\0\0\0"), "is overloaded"),
        (record(3, b"\0\0\0\0\x09\0\0\0"), "refused"),
        (record(6, bytes(20_000)), "more than 10000"),
        (record(6, b"") * 2000, "more than 10000"),
    ],
)
def test_what_is_no_answer_is_refused(data: bytes, reason: str) -> None:
    """Another protocol, another request, refusals and floods raise ValueError with the reason."""
    with pytest.raises(ValueError, match=reason):
        answer(data)


@pytest.mark.parametrize("data", [b"", record(6, HEADERS), record(6, b"no headers") + END, END])
def test_an_incomplete_answer_has_no_page(data: bytes) -> None:
    """Neither before the end nor without headers is there a page."""
    with pytest.raises(ValueError, match=r"not complete|no headers"):
        answer(data).page()


@given(
    data=st.one_of(
        st.binary(max_size=400),
        st.lists(
            st.builds(
                record,
                st.sampled_from([3, 6, 7, 10]),
                st.binary(max_size=60),
                request=st.sampled_from([0, 1]),
                padding=st.integers(0, 9),
            )
        ).map(b"".join),
    )
)
def test_any_bytes_make_a_page_or_a_value_error(data: bytes) -> None:
    """Nothing a server sends raises anything else, or is kept beyond the limit."""
    with suppress(ValueError):
        assert len(answer(data, limit_bytes=300).page().body) <= 300
