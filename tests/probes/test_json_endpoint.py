"""Numbers of JSON documents, and what hostile ones come to."""

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakstep.model.errors import ProbeError
from breakstep.plan.probes import parse_probe
from breakstep.probe.json_endpoint import Endpoint, open_probe, parse, readings
from breakstep.probe.reading import PartialError, Reading
from servers.hostile import BEHAVIOURS, behaving, hostile
from servers.peer import Peer

STATS = {
    "queue": {"length": 3, "ready": True},
    "jvm.memory.used": 1.5,
    "workers": [{"busy": 1}, {"busy": 7, "name": "second"}],
    "done": 100,
}


@contextmanager
def serving(*documents: object) -> Iterator[str]:
    """The URL of a server that answers with each document in turn, then with the last."""
    bodies = [json.dumps(document).encode() for document in documents]

    def answer(peer: Peer) -> None:
        if peer.request():
            body = bodies.pop(0) if len(bodies) > 1 else bodies[0]
            head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"
            peer.send(head % len(body) + body)

    with behaving(answer) as address:
        yield f"http://{address}/stats"


def opened(url: str, *paths: str) -> Endpoint:
    """A probe with these paths."""
    return open_probe(parse_probe(f"json:{url}" + "".join(f",path={path}" for path in paths)))


@pytest.mark.parametrize(
    ("path", "reading"),
    [
        ("queue.length", Reading("queue.length", "", 3.0)),
        ("queue.ready", Reading("queue.ready", "", 1.0)),
        ("workers.1.busy", Reading("workers.1.busy", "", 7.0)),
        ("jvm.memory.used", Reading("jvm.memory.used", "", 1.5)),
        ("done:rate", Reading("done", "1/s", 100.0, counter=True)),
    ],
)
def test_a_path_leads_to_a_number(path: str, reading: Reading) -> None:
    """Steps are keys, which may hold dots, or places in a list; `:rate` makes a counter."""
    with serving(STATS) as url:
        assert list(opened(url, path).read()) == [reading]


def test_without_a_path_every_number_is_read() -> None:
    """In the order of the document; texts and booleans are none."""
    with serving(STATS) as url:
        found = {reading.name: reading.value for reading in opened(url).read()}
    assert found == {
        "queue.length": 3.0,
        "jvm.memory.used": 1.5,
        "workers.0.busy": 1.0,
        "workers.1.busy": 7.0,
        "done": 100.0,
    }


@pytest.mark.parametrize(
    ("document", "paths", "says"),
    [
        (STATS, ["queue.size", "done", "x"], "no number at queue.size or at x: there is queue.len"),
        (STATS, ["workers.9.busy"], "no number at workers.9.busy"),
        (STATS, ["workers.1.name"], "no number at workers.1.name"),
        ({"a": "b"}, [], "no number in it, nor anywhere else"),
    ],
)
def test_a_path_to_nothing_ends_the_start(document: object, paths: list[str], says: str) -> None:
    """Every path that leads to no number is named, and what is there."""
    with serving(document) as url, pytest.raises(ProbeError, match=says):
        opened(url, *paths)


def test_a_number_that_goes_missing_takes_no_other_along() -> None:
    """Later, a path that leads nowhere is told of, and the rest is kept."""
    with serving({"a": 1, "b": 2}, {"b": 3}) as url:
        probe = opened(url, "a", "b")
        with pytest.raises(PartialError, match="no number at a: there is b") as caught:
            probe.read()
    assert caught.value.readings == [Reading("b", "", 3.0)]


@pytest.mark.parametrize("body", [b"<html>", b"", b"[" * 100_000, b"\xff\xfe\xff"])
def test_what_is_no_json_is_said_to_be_none(body: bytes) -> None:
    """A page, nothing, and brackets without end are refused alike."""

    def answer(peer: Peer) -> None:
        if peer.request():
            peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    with behaving(answer) as address, pytest.raises(ProbeError, match="is not JSON"):
        opened(f"http://{address}/")


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_survives_every_hostile_server(name: str) -> None:
    """No behaviour of a server gives a number or anything but a ProbeError."""
    with hostile(name) as address, pytest.raises(ProbeError):
        open_probe(parse_probe(f"json:http://{address}/,timeout=300ms"))


_TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inside: (
        st.lists(inside, max_size=4)
        | st.dictionaries(st.text(".ab0", max_size=3), inside, max_size=4)
    ),
)


@given(tree=_TREES, path=st.text(".ab01:rate", max_size=12))
def test_any_document_and_path_end_in_numbers(tree: object, path: str) -> None:
    """Nothing raises, however a document and a path look; names are printable."""
    document = parse(json.dumps(tree))
    assert all(reading.name.isprintable() for reading in readings(document, []))
    assert len(list(readings(document, [path]))) <= 1


@given(text=st.one_of(st.text(), st.text('[]{}":,0123456789eE.-NaInfity '), st.binary()))
def test_any_text_is_a_document_or_a_value_error(text: str | bytes) -> None:
    """No text raises anything else."""
    with suppress(ValueError):
        list(readings(parse(text), []))


def test_a_number_of_any_length_is_no_trouble() -> None:
    """Digits beyond what an int may have are read as far as a float goes."""
    document = parse('{"a": ' + "9" * 5_000 + ', "b": 1}')
    assert [reading.name for reading in readings(document, ["b"])] == ["b"]
