"""The probe of HAProxy against a real one, by its stats socket and its stats page."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakstep.lab.servers.process import free_port
from breakstep.model.errors import ProbeError
from breakstep.plan.probes import parse_probe
from breakstep.probe.haproxy import Haproxy, open_probe
from breakstep.probe.haproxy_stat import readings_of
from breakstep.probe.http_get import get
from breakstep.probe.reading import Reading
from breakstep.probe.stream import connect
from servers.haproxy import PASSWORD, Balancer, haproxy
from servers.hostile import BEHAVIOURS, hostile

ONE = "{proxy=app,server=one}"
TWO = "{proxy=app,server=two}"
FRONT = "{proxy=front,server=FRONTEND}"
BACK = "{proxy=app,server=BACKEND}"
NAMES = "# pxname,svname,qcur,scur,slim,stot,status,qlimit,type,econ,req_tot,qtime,\n"


def read(probe: Haproxy) -> dict[str, float]:
    """The readings by name."""
    return {reading.name: reading.value for reading in probe.read()}


def settled(probe: Haproxy, name: str, value: float) -> dict[str, float]:
    """The readings once one of them has a value, or as they are after three seconds."""
    give_up = time.monotonic() + 3.0
    while (found := read(probe))[name] != value and time.monotonic() < give_up:
        time.sleep(0.02)
    return found


@contextmanager
def waiting(address: str, count: int) -> Iterator[None]:
    """That many requests under way."""
    host, _, port = address.rpartition(":")
    with ExitStack() as sockets:
        for _ in range(count):
            sending = sockets.enter_context(connect((host, int(port)), 2.0))
            sending.sendall(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        yield


def failure(spec: str) -> str:
    """What opening a probe says when it fails."""
    with pytest.raises(ProbeError) as caught:
        open_probe(parse_probe(spec))
    return str(caught.value)


def test_sees_the_queue_in_front_of_a_full_server(tmp_path: Path) -> None:
    """Of five requests to a server with room for two, three wait."""
    with (
        hostile("never_answers") as server,
        haproxy(tmp_path, Balancer([server], maxconn=2, frontend_maxconn=400)) as balancer,
        waiting(balancer.address, 5),
    ):
        probe = open_probe(parse_probe(f"haproxy:{balancer.stats_socket}"))
        found = settled(probe, f"queue{BACK}", 3)
        assert found[f"queue{BACK}"] == 3
        assert found[f"sessions{ONE}"] == 2
        assert found[f"sessions_limit{ONE}"] == 2
        assert found[f"sessions{FRONT}"] == 5
        assert found[f"sessions_limit{FRONT}"] == 400
        assert f"sessions_limit{BACK}" not in found
        assert f"queue{FRONT}" not in found


def test_counts_requests_and_errors(tmp_path: Path) -> None:
    """Requests are counted for all and for each server, refused connections as errors."""
    dead = f"127.0.0.1:{free_port()}"
    with (
        hostile("says_it_closes") as server,
        haproxy(tmp_path, Balancer([server, dead])) as balancer,
    ):
        probe = open_probe(parse_probe(f"haproxy:{balancer.stats_address}"))
        before = read(probe)
        for _ in range(6):
            with suppress(ProbeError):
                get(f"http://{balancer.address}/", timeout_s=2.0)
        after = settled(probe, f"requests{FRONT}", before[f"requests{FRONT}"] + 6)
        grown = {name: value - before[name] for name, value in after.items()}
    assert grown[f"requests{FRONT}"] == 6
    assert grown[f"requests{BACK}"] == 6
    assert grown[f"requests{ONE}"] == 3
    assert grown[f"errors_connection{TWO}"] == 3
    assert grown[f"errors_connection{ONE}"] == 0
    assert grown[f"responses_5xx{FRONT}"] == 3


def test_tells_a_server_that_is_down(tmp_path: Path) -> None:
    """A failed health check turns `up` to 0 for the server and leaves the rest."""
    dead = f"127.0.0.1:{free_port()}"
    with (
        hostile("says_it_closes") as server,
        haproxy(tmp_path, Balancer([server, dead], check=True)) as balancer,
    ):
        probe = open_probe(parse_probe(f"haproxy:{balancer.stats_socket}"))
        found = settled(probe, f"up{TWO}", 0)
    assert [found[f"up{which}"] for which in (ONE, TWO, BACK, FRONT)] == [1, 0, 1, 1]


def test_page_and_socket_say_the_same(tmp_path: Path) -> None:
    """The same series come from the socket, the socket on TCP, and the page behind a password."""
    with haproxy(tmp_path, Balancer(["127.0.0.1:9"])) as balancer:
        places = (
            balancer.stats_socket,
            f"unix:{balancer.stats_socket}",
            balancer.stats_address,
            balancer.stats_url,
            f"{balancer.stats_url};csv",
        )
        names = [
            {name for name in read(open_probe(parse_probe(f"haproxy:{place}"))) if "app" in name}
            for place in places
        ]
        assert len(names[0]) > 15
        assert all(others == names[0] for others in names)
        says = failure(f"haproxy:{balancer.stats_url.replace(PASSWORD, 'wrong-word')}")
        assert "answered 401" in says
        assert "wrong-word" not in says


def test_is_read_again_after_a_restart(tmp_path: Path) -> None:
    """Gone, a read fails with the reason."""
    with haproxy(tmp_path, Balancer(["127.0.0.1:9"])) as balancer:
        probe = open_probe(parse_probe(f"haproxy:{balancer.stats_socket}"))
        balancer.process.terminate()
        balancer.process.wait()
        with pytest.raises(ProbeError, match=r"nothing answers at .*is HAProxy running"):
            probe.read()
    with haproxy(tmp_path, Balancer(["127.0.0.1:9"])):
        assert read(probe)[f"up{FRONT}"] == 1


@pytest.mark.parametrize(
    ("where", "reason"),
    [
        ("/nowhere/stats.sock", "nothing answers at /nowhere/stats.sock"),
        ("127.0.0.1:{port}", "nothing answers at 127.0.0.1"),
        ("http://127.0.0.1:{port}/stats", "nothing listens at 127.0.0.1"),
        ("stats", "write the path of the stats socket"),
        ("/etc/passwd", "cannot be reached|nothing answers"),
    ],
)
def test_says_what_is_wrong_with_a_place(where: str, reason: str) -> None:
    """Each fault has its reason and its remedy."""
    says = failure(f"haproxy:{where.format(port=free_port())}")
    assert any(words in says for words in reason.split("|"))


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_survives_every_hostile_server(name: str) -> None:
    """Whatever speaks at the address, opening ends in a ProbeError."""
    with hostile(name) as address:
        assert failure(f"haproxy:{address},timeout=100ms")


def test_a_line_becomes_readings() -> None:
    """Empty cells give nothing, counters are marked, names are cleaned, totals come first."""
    found = readings_of(
        f"{NAMES}a{{b,s,1,2,3,4,UP 1/2,,2,5,,7,\na,FRONTEND,,2,,4,OPEN,,0,,9,,\n".encode()
    )
    front, server = "{proxy=a,server=FRONTEND}", "{proxy=a_b,server=s}"
    assert found == [
        Reading(f"sessions{front}", "count", 2),
        Reading(f"requests{front}", "1/s", 9, counter=True),
        Reading(f"up{front}", "share", 1.0),
        Reading(f"sessions{server}", "count", 2),
        Reading(f"queue{server}", "count", 1),
        Reading(f"errors_connection{server}", "1/s", 5, counter=True),
        Reading(f"queue_time{server}", "ms", 7),
        Reading(f"sessions_limit{server}", "count", 3),
        Reading(f"requests{server}", "1/s", 4, counter=True),
        Reading(f"up{server}", "share", 1.0),
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no CSV"),
        ("<html>", "no CSV"),
        ("# a,b\n1,2\n", "columns are missing"),
        (f"{NAMES}a,s,1\n", "cut short"),
        (f"{NAMES}a,s,1,-2,3,4,UP,,2,5,,7,\n", "out of range"),
        (f"{NAMES}a,s,1,x,3,4,UP,,2,5,,7,\n", "invalid literal"),
        (f"{NAMES}a,{'s' * 200_000}", "no CSV"),
        (f"{NAMES}a,{'9' * 10_000}", "cut short"),
        ("# ", "columns are missing|no CSV"),
    ],
)
def test_what_is_no_statistics_is_refused(text: str, reason: str) -> None:
    """Anything else raises ValueError with the reason."""
    with pytest.raises(ValueError, match=reason):
        readings_of(text.encode())


@given(
    body=st.one_of(
        st.binary(max_size=200),
        st.text('ab,19-."\n\x00', max_size=120).map(lambda rows: (NAMES + rows).encode()),
    )
)
def test_any_bytes_are_readings_or_a_value_error(body: bytes) -> None:
    """Nothing a server sends raises anything else."""
    with suppress(ValueError):
        assert all(reading.value >= 0 for reading in readings_of(body))
