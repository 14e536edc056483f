"""Go's `/debug/vars`: what the collector takes, told when Go tells it."""

import http.client
import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakstep.lab.servers.process import free_port
from breakstep.model.errors import ProbeError
from breakstep.plan.probes import parse_probe
from breakstep.probe.go import open_probe, readings
from breakstep.probe.go_vars import Collecting, GoVars, parse_vars
from probes.watching import during, eventually, probing
from servers.go import SOURCE, GoApp, go_app
from servers.hostile import BEHAVIOURS, behaving, hostile
from servers.peer import Peer


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GoApp]:
    """A program with 100 MiB of live objects on two cores."""
    home = tmp_path_factory.mktemp("go")
    with go_app(home, {"LIVE_MIB": "100", "GOMAXPROCS": "2"}) as running:
        yield running


@contextmanager
def repeated(server: GoApp, path: str) -> Iterator[None]:
    """One user who asks for a path again and again."""
    done = threading.Event()

    def use() -> None:
        connection = http.client.HTTPConnection(server.address, timeout=10.0)
        while not done.is_set():
            connection.request("GET", path)
            connection.getresponse().read()
        connection.close()

    thread = threading.Thread(target=use)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def test_a_quiet_program_collects_nothing(server: GoApp) -> None:
    """Its heap, goroutines and cores are there; its collector takes nothing, and that is known."""
    with probing(f"go:{server.vars_url}") as probe:

        def quiet() -> bool:
            values = during(probe, lambda: time.sleep(0.3))
            return values.get("gc", values["gc_cycles"]) == 0.0

        assert eventually(quiet)
        values = during(probe, lambda: time.sleep(0.3))
    assert values["gomaxprocs"] == 2.0
    assert values["goroutines"] >= 2.0
    assert values["heap"] > 100 * 2**20
    assert values["gc_pause"] == values["gc_cycles"] == 0.0


def test_garbage_in_the_path_of_requests_shows_as_cpu_not_as_pauses(server: GoApp) -> None:
    """Allocation beside a large live heap: marking and assists take cores, the world goes on."""
    with probing(f"go:{server.vars_url}") as probe, repeated(server, "/alloc?4000"):
        during(probe, lambda: time.sleep(0.5))
        values = during(probe, lambda: time.sleep(3.0))
    assert values["gc_cycles"] > 1.0
    assert values["gc"] > 0.05
    assert values["gc"] == pytest.approx((values["gc_assist"] + values["gc_mark"]) / 2.0)
    assert values["gc_assist"] > 0.0
    assert values["gc_pause"] < values["gc"] / 2.0


def test_the_path_may_be_left_out(server: GoApp) -> None:
    """The one path of expvar is taken where none is written."""
    with probing(f"go:http://{server.address}") as probe:
        assert {reading.name for reading in probe.read()} >= {"heap", "gomaxprocs"}


def test_the_metrics_alone_say_the_same(server: GoApp) -> None:
    """Without `memstats`, for which Go stops the world, nothing is missing."""
    with (
        probing(f"go:{server.vars_url}") as whole,
        probing(f"go:http://{server.address}/debug/runtime") as alone,
    ):
        assert {one.name for one in alone.read()} == {one.name for one in whole.read()}


def test_the_document_has_the_lines_that_are_tested_here() -> None:
    """What a user copies is what the program of these tests runs."""
    document = (Path(__file__).parents[2] / "docs" / "probe-go.md").read_text()
    assert (SOURCE / "runtime.go").read_text() in document


def test_a_program_without_runtime_metrics_says_what_to_add() -> None:
    """Heap and pauses are told; the collector's CPU is not, and the reason is."""
    memory = {"HeapAlloc": 5, "NextGC": 10, "NumGC": 2, "PauseTotalNs": 1_000}
    body = json.dumps({"cmdline": ["a"], "memstats": memory}).encode()

    def answer(peer: Peer) -> None:
        if peer.request():
            peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    with behaving(answer) as address, probing(f"go:http://{address}") as probe:
        names = {reading.name for reading in probe.read()}
        assert names == {"heap", "gc_cycles", "gc_pause"}
        assert "docs/probe-go.md" in getattr(probe, "remark", "")


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"{}", "it has no HeapAlloc"),
        (b"[1]", "it has no HeapAlloc"),
        (b"<html>", "is not /debug/vars"),
        (b'{"memstats": {"HeapAlloc": "5"}}', "it has no HeapAlloc"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_another_page_is_refused_with_the_remedy(body: bytes, says: str) -> None:
    """What answers is named as not being expvar, and how to have it."""

    def answer(peer: Peer) -> None:
        if peer.request():
            peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    with behaving(answer) as address, pytest.raises(ProbeError, match=says) as caught:
        open_probe(parse_probe(f"go:http://{address}/debug/vars"))
    assert 'import _ "expvar"' in str(caught.value)


def test_nothing_that_listens_is_said() -> None:
    """The address is named."""
    port = free_port()
    with pytest.raises(ProbeError, match=f"nothing listens at 127.0.0.1:{port}"):
        open_probe(parse_probe(f"go:http://127.0.0.1:{port}"))


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_survives_every_hostile_server(name: str) -> None:
    """No behaviour of a server gives a number or anything but a ProbeError."""
    with hostile(name) as address, pytest.raises(ProbeError):
        open_probe(parse_probe(f"go:http://{address}/,timeout=300ms"))


QUIET = GoVars(
    heap_bytes=50.0,
    heap_goal_bytes=100.0,
    cycles=1.0,
    paused_s=0.0,
    collecting_s=(1.0, 2.0),
    gomaxprocs=2.0,
    goroutines=4.0,
)
FULL = replace(QUIET, heap_bytes=90.0)


def answers(*looks: tuple[float, GoVars]) -> list[tuple[float, float] | None]:
    """What each look tells of the collector's cores."""
    collecting = Collecting()
    return [collecting.step(look, at_s) for at_s, look in looks]


def test_a_cycle_that_may_still_run_is_told_when_it_ends() -> None:
    """A long cycle gives no answer in its middle, and its CPU over its whole time at its end."""
    ended = replace(FULL, cycles=2.0, collecting_s=(1.5, 4.0))
    assert answers((0.0, QUIET), (1.0, QUIET), (2.0, FULL), (3.0, FULL), (5.0, ended)) == [
        None,
        (0.0, 0.0),
        None,
        None,
        (0.125, 0.5),
    ]


def test_all_that_was_collected_is_told_once() -> None:
    """Each answer covers the time since the one before: together they are the sums of Go."""
    looks = [
        (float(t), replace(FULL, cycles=t // 3, collecting_s=(t // 3, 0.0))) for t in range(13)
    ]
    told = answers(*looks)
    spans = [3.0 if cores else 0.0 for cores in told]
    total = sum(cores[0] * span for cores, span in zip(told, spans, strict=True) if cores)
    assert total == pytest.approx(4.0)


def test_a_restarted_program_is_no_negative_collector() -> None:
    """Sums that fell begin anew."""
    young = replace(QUIET, cycles=0.0, collecting_s=(0.0, 0.0))
    assert answers((0.0, QUIET), (1.0, young), (2.0, young)) == [None, None, (0.0, 0.0)]


_VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)


@given(
    memory=st.dictionaries(
        st.sampled_from(["HeapAlloc", "NextGC", "NumGC", "PauseTotalNs"]), _VALUES
    ),
    runtime=st.dictionaries(
        st.sampled_from(
            [
                "/cpu/classes/gc/mark/assist:cpu-seconds",
                "/cpu/classes/gc/mark/dedicated:cpu-seconds",
                "/cpu/classes/gc/pause:cpu-seconds",
                "/gc/cycles/total:gc-cycles",
                "/sched/gomaxprocs:threads",
            ]
        ),
        _VALUES,
    )
    | _VALUES,
)
def test_lying_variables_give_numbers_or_a_value_error(
    memory: Mapping[str, object], runtime: object
) -> None:
    """Nothing else is raised; numbers are finite and not negative, shares at most 1."""
    body = json.dumps({"memstats": memory, "runtime": runtime}).encode()
    with suppress(ValueError):
        now = parse_vars(body)
        for reading in readings(now, now.collecting_s):
            assert 0.0 <= reading.value < 1e19
            assert reading.name != "gc" or reading.value <= 1.0


@given(body=st.binary(max_size=200))
def test_any_bytes_are_no_more_than_a_value_error(body: bytes) -> None:
    """Nothing else is raised."""
    with suppress(ValueError):
        parse_vars(body)
