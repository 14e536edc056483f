"""Node under the preload: what it shows, also while its event loop is blocked."""

import http.client
import json
import os
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from breakstep.cli.app import app
from breakstep.lab.servers.node_app import NodeApp, node_app
from breakstep.lab.servers.postgres import postgres
from breakstep.lab.servers.process import free_port
from breakstep.model.errors import ProbeError
from breakstep.plan.probes import parse_probe
from breakstep.probe.node import PRELOAD, open_probe, readings
from breakstep.probe.node_processes import NodeProcess, Pool, parse_processes
from breakstep.probe.reading import Probe
from probes.watching import eventually, now, probing
from servers.hostile import BEHAVIOURS, behaving, hostile
from servers.peer import Peer
from servers.scripts import JS


@contextmanager
def watched(
    home: Path, script: str = "app.js", **environment: str
) -> Iterator[tuple[NodeApp, Probe]]:
    """An app under the preload and the probe on it."""
    with node_app(home, JS / script, environment=environment) as server:
        assert eventually(lambda: answers(server.probe))
        with probing(f"node:{server.probe}") as probe:
            yield server, probe


def answers(address: str) -> bool:
    """Whether somebody listens there."""
    host, port = address.split(":")
    with suppress(ConnectionRefusedError):
        socket.create_connection((host, int(port)), timeout=1.0).close()
        return True
    return False


def get(server: NodeApp, path: str) -> int:
    """The status of one request on a connection of its own."""
    return ask(server.address, "GET", path, {})


def ask(address: str, method: str, path: str, headers: Mapping[str, str]) -> int:
    """The status of one request."""
    connection = http.client.HTTPConnection(address, timeout=20.0)
    try:
        connection.request(method, path, body="{}" if method == "POST" else None, headers=headers)
        return connection.getresponse().status
    finally:
        connection.close()


@contextmanager
def repeated(server: NodeApp, path: str, users: int = 1) -> Iterator[None]:
    """Users who ask for a path again and again."""
    done = threading.Event()

    def use() -> None:
        while not done.is_set():
            get(server, path)

    threads = [threading.Thread(target=use) for _ in range(users)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        done.set()
        for thread in threads:
            thread.join()


def over(probe: Probe, length_s: float = 0.6) -> Mapping[str, float]:
    """Every signal, its growth told over `length_s`."""
    probe.read()
    time.sleep(length_s)
    return now(probe)


def test_an_idle_app_shows_an_idle_loop(tmp_path: Path) -> None:
    """Every signal is there; nothing is in flight, the loop waits and is on time."""
    with watched(tmp_path) as (_, probe):
        assert eventually(lambda: over(probe)["loop_utilisation"] < 0.2)
        values = over(probe)
    assert set(values) == {
        "loop_utilisation",
        "loop_delay_p50",
        "loop_delay_p99",
        "loop_delay_max",
        "cpu",
        "gc",
        "gc_pause_max",
        "heap_used",
        "memory",
        "in_flight",
        "processes",
    }
    assert values["in_flight"] == 0.0
    assert values["processes"] == 1.0
    assert 0.0 <= values["loop_delay_p50"] < 5.0
    assert values["heap_used"] < values["memory"]


def test_a_busy_loop_shows_its_delay(tmp_path: Path) -> None:
    """Blocks of 100 ms by three users: the loop is full, and late by a block or up to three."""
    with watched(tmp_path) as (server, probe), repeated(server, "/block?100", users=3):
        assert eventually(lambda: over(probe)["loop_utilisation"] > 0.9)
        assert eventually(lambda: 70.0 < over(probe, 1.2)["loop_delay_p50"] < 400.0)


def test_the_cores_are_those_that_the_kernel_counts(tmp_path: Path) -> None:
    """Over the same second, whatever the machine had left for the app."""
    with watched(tmp_path) as (server, probe), repeated(server, "/cpu"):

        def alike() -> bool:
            from_s = kernel_cpu_s(server.pid)
            at_s = time.monotonic()
            cores = over(probe, 1.5)["cpu"]
            kernels = (kernel_cpu_s(server.pid) - from_s) / (time.monotonic() - at_s)
            return cores > 0.1 and abs(cores - kernels) < 0.1 * kernels

        assert eventually(alike)


def kernel_cpu_s(pid: int) -> float:
    """CPU time of all threads of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_answers_while_the_loop_is_blocked(tmp_path: Path) -> None:
    """In the middle of a block of 2.5 s: full utilisation, its delay so far, one in flight."""
    with watched(tmp_path) as (server, probe), ExitStack() as cleanup:
        over(probe, 0.1)
        thread = threading.Thread(target=get, args=(server, "/block?2500"))
        thread.start()
        cleanup.callback(thread.join)
        time.sleep(1.0)
        middle = over(probe, 0.5)
        assert thread.is_alive()
        assert middle["loop_utilisation"] == pytest.approx(1.0)
        assert middle["loop_delay_max"] > 1_000.0
        assert middle["in_flight"] == 1.0
        # Collections are told when the loop is back.
        assert "gc" not in middle


def test_the_utilisation_of_a_block_is_spread_over_its_reads(tmp_path: Path) -> None:
    """Reads within blocks never exceed the whole; together they make the time of the blocks."""
    with watched(tmp_path) as (server, probe), repeated(server, "/block?700"):
        over(probe, 1.5)
        shares = [over(probe, 0.3)["loop_utilisation"] for _ in range(8)]
    assert max(shares) <= 1.0
    assert sum(shares) / len(shares) > 0.9


def test_counts_requests_in_flight_and_forgets_clients_that_left(tmp_path: Path) -> None:
    """Three requests that wait are three in flight; once their clients are gone, none is."""
    with watched(tmp_path) as (server, probe), ExitStack() as clients:
        host, port = server.address.split(":")
        for _ in range(3):
            client = clients.enter_context(socket.create_connection((host, int(port))))
            client.sendall(b"GET /wait?60000 HTTP/1.1\r\nHost: a\r\n\r\n")
        assert eventually(lambda: now(probe)["in_flight"] == 3.0)
        clients.close()
        assert eventually(lambda: now(probe)["in_flight"] == 0.0)


def test_collections_are_told_with_their_longest_pause(tmp_path: Path) -> None:
    """An app that keeps what it allocates for a while spends time collecting."""
    with watched(tmp_path) as (server, probe), repeated(server, "/allocate?20000"):
        assert eventually(lambda: over(probe).get("gc", 0.0) > 0.02)
        assert eventually(lambda: over(probe)["gc_pause_max"] > 0.5)


def test_a_cluster_is_summed_and_its_busiest_loop_shown(tmp_path: Path) -> None:
    """A primary and two workers are three processes; one that is blocked is the busiest."""
    with watched(tmp_path, WORKERS="2") as (server, probe), ExitStack() as cleanup:
        assert eventually(lambda: now(probe)["processes"] == 3.0)
        thread = threading.Thread(target=get, args=(server, "/block?2500"))
        thread.start()
        cleanup.callback(thread.join)
        assert eventually(lambda: over(probe, 0.5)["loop_utilisation"] > 0.95)
        assert now(probe)["in_flight"] == 1.0
        assert thread.is_alive()


def test_another_process_takes_over_when_the_one_that_answers_ends(tmp_path: Path) -> None:
    """Two apps share a port; the probe sees both, and the second alone once the first is gone."""
    with node_app(tmp_path, JS / "app.js") as first:
        assert eventually(lambda: answers(first.probe))
        port = int(first.probe.split(":")[1])
        with (
            node_app(tmp_path, JS / "app.js", probe_port=port),
            probing(f"node:{first.probe}") as probe,
        ):
            assert eventually(lambda: now(probe)["processes"] == 2.0)
            with suppress(ConnectionError, http.client.HTTPException):
                get(first, "/exit")

            def alone() -> bool:
                with suppress(ProbeError):
                    return now(probe)["processes"] == 1.0
                return False

            assert eventually(alone)


def test_pools_show_their_size_and_who_waits(tmp_path: Path) -> None:
    """Seven queries on each pool, whose connections never open: all places taken, others wait."""
    with watched(tmp_path, "pools.js") as (_, probe):
        sizes = {"pg": 3.0, "pg-2": 2.0, "mysql2": 4.0, "undici": 2.0}
        assert eventually(lambda: len(pools(probe, "size")) == len(sizes))
        assert pools(probe, "size") == sizes
        assert eventually(lambda: pools(probe, "busy") == sizes)
        waiting = {name: 7.0 - size for name, size in sizes.items()}
        assert eventually(lambda: pools(probe, "waiting") == waiting)


def test_a_pool_of_open_connections_is_busy_while_they_are_out(tmp_path: Path) -> None:
    """Three sleeping queries on two connections to PostgreSQL: two busy, one waits, then none."""
    with postgres() as database:
        environment = {"PG_DSN": database.dsn(), "PG_POOL": "2"}
        with watched(tmp_path, "pooled.js", **environment) as (server, probe), ExitStack() as ends:
            # Known from their first use on; here the app has opened them before it listened.
            assert eventually(lambda: pools(probe, "busy") == {"pg": 0.0})
            for _ in range(3):
                thread = threading.Thread(target=get, args=(server, "/sleep?2"))
                thread.start()
                ends.callback(thread.join)
            assert eventually(lambda: pools(probe, "waiting") == {"pg": 1.0})
            assert pools(probe, "busy") == pools(probe, "size") == {"pg": 2.0}
            assert eventually(lambda: pools(probe, "busy") == {"pg": 0.0})


def pools(probe: Probe, what: str) -> dict[str, float]:
    """One number of every pool by its label."""
    head = f"pool_{what}{{pool="
    return {
        name.removeprefix(head).removesuffix("}"): value
        for name, value in now(probe).items()
        if name.startswith(head)
    }


@pytest.mark.parametrize(
    ("port", "first"),
    [
        (None, ""),
        ("0", ""),
        ("nonsense", ""),
        ("1", ""),
        (None, "require('worker_threads').Worker = class { constructor() { throw Error(); } }"),
        (None, "require('perf_hooks').PerformanceObserver = undefined"),
    ],
)
def test_an_app_runs_and_ends_as_without_it(tmp_path: Path, port: str | None, first: str) -> None:
    """Its output and exit code are its own, also where no port, thread or measure is to be had."""
    before, script = tmp_path / "before.cjs", tmp_path / "app.cjs"
    before.write_text(first)
    script.write_text("setTimeout(() => { console.log('done'); process.exitCode = 3; }, 300)")
    variable = f"BREAKSTEP_NODE_PORT={port or free_port()}"
    done = subprocess.run(
        [
            *("env", variable, "node", "--require", str(before)),
            *("--require", str(PRELOAD), str(script)),
        ],
        capture_output=True,
        timeout=20.0,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (3, b"done\n", b"")


def test_answers_on_loopback_only_and_to_no_web_page(tmp_path: Path) -> None:
    """Other names in `Host`, other methods and what is not from a preload are refused."""
    with watched(tmp_path) as (server, _):
        port = int(server.probe.split(":")[1])
        assert ask(server.probe, "GET", "/", {}) == 200
        assert ask(server.probe, "GET", "/", {"Host": f"localhost:{port}"}) == 200
        assert ask(server.probe, "GET", "/", {"Host": "evil.example"}) == 403
        assert ask(server.probe, "POST", "/", {}) == 405
        assert ask(server.probe, "OPTIONS", "/", {}) == 405
        assert ask(server.probe, "POST", "/", {"x-breakstep-node": "breakstep.node/1"}) == 400
        listening = Path("/proc/net/tcp").read_text()
        assert f" 0100007F:{port:04X} 00000000:0000 0A" in listening
        assert f" 00000000:{port:04X} 00000000:0000 0A" not in listening


def test_hands_nothing_to_a_stranger_on_its_port(tmp_path: Path) -> None:
    """Where another server holds the port it is asked once who it is; the app does not notice."""
    requests: list[bytes] = []

    def stranger(peer: Peer) -> None:
        request = peer.request()
        if request:
            requests.append(request)
            peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    with behaving(stranger) as address:
        port = int(address.split(":")[1])
        with node_app(tmp_path, JS / "app.js", probe_port=port) as server:
            assert eventually(lambda: len(requests) > 0)
            time.sleep(1.0)
            assert get(server, "/fast") == 200
    assert [request.split()[0] for request in requests] == [b"GET"]


def test_says_how_to_start_the_app() -> None:
    """Where nothing listens, and where something else does, the remedy is the preload."""
    with pytest.raises(ProbeError, match=r"nothing listens at .*node-preload"):
        open_probe(parse_probe(f"node:127.0.0.1:{free_port()}"))
    with pytest.raises(ProbeError, match="write HOST:PORT"):
        open_probe(parse_probe("node:http://127.0.0.1:7891/"))


def test_the_command_prints_where_the_preload_is() -> None:
    """`breakstep probe node-preload` prints one path, that of a file."""
    result = CliRunner().invoke(app, ["probe", "node-preload"])
    assert result.exit_code == 0
    assert Path(result.stdout.strip()).read_text().startswith("// Shows breakstep")


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_survives_every_hostile_server(name: str) -> None:
    """No behaviour of a server gives a number or anything but a ProbeError."""
    with hostile(name) as address, pytest.raises(ProbeError):
        open_probe(parse_probe(f"node:{address},timeout=300ms"))


def process(pools: tuple[Pool, ...] = (), **numbers: float) -> NodeProcess:
    """One process that knows these numbers."""
    return NodeProcess(numbers, pools)


def values(
    after: Mapping[str, NodeProcess], before: Mapping[str, NodeProcess] | None = None
) -> Mapping[str, float]:
    """The signals of two looks."""
    return {reading.name: reading.value for reading in readings(after, before or {})}


def test_cores_are_summed_and_shares_are_the_highest() -> None:
    """Over two processes; each by its own clock."""
    before = {
        "a": process(at_ms=0.0, cpu_ms=100.0, loop_ms=0.0, loop_active_ms=0.0),
        "b": process(at_ms=50.0, cpu_ms=0.0, loop_ms=0.0, loop_active_ms=0.0),
    }
    after = {
        "a": process(at_ms=1_000.0, cpu_ms=600.0, loop_ms=1_000.0, loop_active_ms=250.0),
        "b": process(at_ms=550.0, cpu_ms=400.0, loop_ms=500.0, loop_active_ms=450.0),
    }
    found = values(after, before)
    assert found["cpu"] == pytest.approx(0.5 + 0.8)
    assert found["loop_utilisation"] == pytest.approx(0.9)


def test_a_sum_with_an_unknown_part_is_withheld() -> None:
    """A process that has just come has no CPU yet, so that the sum would be too low."""
    before = {"a": process(at_ms=0.0, cpu_ms=0.0)}
    after = {
        "a": process(at_ms=100.0, cpu_ms=50.0, in_flight=1.0),
        "b": process(at_ms=100.0, cpu_ms=50.0),
    }
    found = values(after, before)
    assert "cpu" not in found
    assert "in_flight" not in found
    assert found["processes"] == 2.0


def test_pools_of_one_label_are_summed_and_no_bound_shows_no_size() -> None:
    """Each process has a pool of its own under the same label."""
    after = {
        "a": process((Pool("pg", 10.0, 4.0, 0.0), Pool("undici", None, 1.0, 0.0))),
        "b": process((Pool("pg", 10.0, 10.0, 3.0),)),
    }
    found = values(after)
    assert found["pool_size{pool=pg}"] == 20.0
    assert found["pool_busy{pool=pg}"] == 14.0
    assert found["pool_waiting{pool=pg}"] == 3.0
    assert "pool_size{pool=undici}" not in found


_WORDS = ["format", "processes", "id", "pools", "kind", "delay_ms", "at_ms", "cpu_ms", "p99"]
_TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inside: (
        st.lists(inside, max_size=4)
        | st.dictionaries(st.sampled_from(_WORDS) | st.text(max_size=3), inside, max_size=6)
    ),
)
_PROCESS = st.fixed_dictionaries(
    {"id": st.text(max_size=3)},
    optional={name: _TREES for name in _WORDS if name != "id"},
)


@given(rows=st.lists(_PROCESS | _TREES, max_size=4) | _TREES)
def test_a_lying_preload_gives_numbers_or_a_value_error(rows: object) -> None:
    """Nothing else is raised; numbers are finite, shares at most 1, labels plain."""
    body = json.dumps({"format": "breakstep.node/1", "processes": rows}).encode()
    with suppress(ValueError):
        processes = parse_processes(body)
        for reading in readings(processes, processes):
            assert reading.name.isprintable()
            assert 0.0 <= reading.value < 1e21
            assert reading.unit != "share" or reading.value <= 1.0


@given(body=st.binary(max_size=200))
def test_any_bytes_are_no_more_than_a_value_error(body: bytes) -> None:
    """Nothing else is raised."""
    with suppress(ValueError):
        parse_processes(body)
