"""Exporters: a real one, hostile ones, and the official parser as the judge of ours."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Summary,
    generate_latest,
    start_http_server,
)
from prometheus_client.parser import text_string_to_metric_families

from breakstep.model.errors import ProbeError
from breakstep.plan.probes import parse_probe
from breakstep.probe.exposition import Scraper, parse_key, samples
from breakstep.probe.prometheus import open_probe
from breakstep.probe.reading import Reading
from servers.hostile import BEHAVIOURS, behaving, hostile
from servers.peer import Peer


@contextmanager
def exporter(registry: CollectorRegistry) -> Iterator[str]:
    """The official exporter, on a port of its own."""
    server, thread = start_http_server(0, addr="127.0.0.1", registry=registry)
    try:
        yield f"http://127.0.0.1:{server.server_port}/metrics"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def shop() -> CollectorRegistry:
    """Some series of every type."""
    registry = CollectorRegistry()
    requests = Counter("http_requests", "served", ["code", "name"], registry=registry)
    requests.labels("200", "a").inc(7)
    requests.labels("503", 'b "c"\\\n').inc(2)
    Gauge("queue_length", "waiting", registry=registry).set(3)
    Histogram("wait_seconds", "waited", registry=registry, buckets=(0.1, 1.0)).observe(0.5)
    Summary("body_bytes", "sent", registry=registry).observe(400)
    return registry


def read(url: str, options: str = "") -> dict[str, Reading]:
    """What a probe reads, by name."""
    probe = open_probe(parse_probe(f"prometheus:{url}{options}"))
    return {reading.name: reading for reading in probe.read()}


def test_reads_every_type_of_a_real_exporter() -> None:
    """Counters, sums and counts are counters with a unit; a histogram's buckets stay away."""
    with exporter(shop()) as url:
        found = read(url)
    assert found["http_requests_total{code=200,name=a}"] == Reading(
        "http_requests_total{code=200,name=a}", "1/s", 7.0, counter=True
    )
    assert found[r'http_requests_total{code=503,name=b "c"\\n}'].value == 2.0
    assert found["queue_length"] == Reading("queue_length", "", 3.0)
    assert found["wait_seconds_sum"] == Reading("wait_seconds_sum", "s/s", 0.5, counter=True)
    assert found["wait_seconds_count"].unit == "1/s"
    assert found["body_bytes_sum"] == Reading("body_bytes_sum", "bytes/s", 400.0, counter=True)
    assert not any("bucket" in name for name in found)


@pytest.mark.parametrize(
    ("series", "names"),
    [
        ("queue_length", ["queue_length"]),
        ("queue*", ["queue_length"]),
        ('http_requests_total{code="5*"*}', [r'http_requests_total{code=503,name=b "c"\\n}']),
        ("http_requests_total{*name=a}", ["http_requests_total{code=200,name=a}"]),
        ("wait_seconds_bucket{le=1.0}", ["wait_seconds_bucket{le=1.0}"]),
        ("wait_seconds_?ount", ["wait_seconds_count"]),
        ("queue_length,series=body_bytes_count", ["queue_length", "body_bytes_count"]),
    ],
)
def test_keeps_the_series_asked_for(series: str, names: list[str]) -> None:
    """A pattern stands for a name, with its labels or without."""
    with exporter(shop()) as url:
        assert list(read(url, f",series={series}")) == names


def test_says_which_names_there_are_when_none_matches() -> None:
    """A pattern that matches nothing ends the start with what could have been written."""
    with exporter(shop()) as url, pytest.raises(ProbeError) as caught:
        read(url, ",series=quue*")
    assert "no series matches quue*: there are " in str(caught.value)
    assert "http_requests_total, " in str(caught.value)


def test_a_page_is_no_exporter() -> None:
    """A page of HTML is refused with a hint at the path."""

    def page(peer: Peer) -> None:
        if peer.request():
            peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: 21\r\n\r\n<html>not here</html>")

    with behaving(page) as address, pytest.raises(ProbeError, match="end in /metrics"):
        read(f"http://{address}/")


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_survives_every_hostile_server(name: str) -> None:
    """No behaviour of a server gives a series or anything but a ProbeError."""
    with hostile(name) as address, pytest.raises(ProbeError):
        read(f"http://{address}/", ",timeout=300ms")


@pytest.mark.parametrize(
    ("line", "name", "counter"),
    [
        ("untyped_total", "untyped_total", True),
        ("untyped_count", "untyped_count", True),
        ("s3_bucket", "s3_bucket", False),
        ("plain", "plain", False),
        ("typed_total", "typed_total", False),
        ("odd_created", "odd_created", False),
    ],
)
def test_the_type_decides_what_a_counter_is(line: str, name: str, *, counter: bool) -> None:
    """Without a type the name decides; a gauge stays one whatever its name."""
    series = parse_key(line, {"typed_total": "gauge", "odd": "counter"})
    assert (series.name, series.counter) == (name, counter)


def test_open_metrics_is_read_too() -> None:
    """Exemplars are cut, and a counter is found though its type is told without `_total`."""
    text = '# TYPE jobs counter\njobs_total{a="b"} 4 1.5 # {trace="}"} 0.5\n# EOF\n'
    assert Scraper().readings(text) == [Reading("jobs_total{a=b}", "1/s", 4.0, counter=True)]


def test_control_characters_do_not_reach_a_terminal() -> None:
    """What a label holds is shown escaped."""
    assert parse_key('a{b="\x1b[2J"', {}).name == r"a{b=\x1b[2J}"


_VALUES = st.floats(allow_nan=False, width=32)
_LABELS = st.text(max_size=12)


@given(rows=st.dictionaries(st.tuples(_LABELS, _LABELS), _VALUES, max_size=8))
def test_agrees_with_the_official_parser(rows: dict[tuple[str, str], float]) -> None:
    """Whatever stands in labels, as many samples and the same values come out."""
    registry = CollectorRegistry()
    gauge = Gauge("g", "any", ["one", "two"], registry=registry)
    for labels, value in rows.items():
        gauge.labels(*labels).set(value)
    text = generate_latest(registry).decode()
    judged = [s.value for family in text_string_to_metric_families(text) for s in family.samples]
    found = list(samples(text))
    assert [value for _, value in found] == judged
    assert all(parse_key(key, {}).name.startswith("g{one=") for key, _ in found)


@given(
    text=st.one_of(
        st.text(),
        st.text('ab{}=",\\ #\n\t1.e_TYPEcounter'),
        st.lists(st.sampled_from(["# TYPE a counter", "a 1", 'a{b="', '"} 2', "}", "# EOF"])).map(
            "\n".join
        ),
    )
)
def test_any_text_gives_readings_or_nothing(text: str) -> None:
    """No text raises, and names are printable and unlike."""
    readings = Scraper().readings(text)
    assert all(reading.name.isprintable() for reading in readings)
    assert len({reading.name for reading in readings}) == len(readings)


@pytest.mark.parametrize("evil", ["a{", 'a{b="\\', "} ", 'a{b="c",', "# TYPE ", "a 1\n", '"} 1 '])
def test_a_megabyte_of_anything_takes_no_quadratic_time(evil: str) -> None:
    """Ten times the text takes about ten times as long, not a hundred."""

    def cost(size: int) -> float:
        text = evil * (size // len(evil))
        tries = []
        for _ in range(3):
            began = time.thread_time()
            Scraper().readings(text)
            tries.append(time.thread_time() - began)
        return min(tries)

    assert cost(1_000_000) < 40.0 * max(cost(100_000), 1e-4)


def test_not_a_number_is_a_value() -> None:
    """The sampler leaves such values out; here they are read."""
    (reading,) = Scraper().readings("a NaN\n")
    assert math.isnan(reading.value)
