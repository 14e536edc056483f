"""PgBouncer: a real one in front of a real PostgreSQL, with a full pool and a queue."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakstep.lab.servers import pgbouncer as servers
from breakstep.lab.servers.postgres import Postgres, postgres
from breakstep.lab.servers.process import free_port
from breakstep.model.errors import ProbeError
from breakstep.plan.probes import parse_probe
from breakstep.probe.pgbouncer import PgBouncer, open_probe, readings

POOL_SIZE = 2


@pytest.fixture(scope="module")
def behind() -> Iterator[Postgres]:
    """The PostgreSQL behind every pool."""
    with postgres() as running:
        yield running


@pytest.fixture
def pooler(behind: Postgres) -> Iterator[servers.PgBouncer]:
    """A pool of two."""
    settings = {"pool_mode": "transaction", "default_pool_size": str(POOL_SIZE)}
    with servers.pgbouncer(behind, settings) as running:
        yield running


@contextmanager
def probing(dsn: str) -> Iterator[PgBouncer]:
    """An open probe."""
    probe = open_probe(parse_probe(f"pgbouncer:{dsn}"))
    try:
        yield probe
    finally:
        probe.close()


def values(probe: PgBouncer) -> dict[str, float]:
    """What it reads."""
    return {reading.name: reading.value for reading in probe.read()}


def failure(dsn: str) -> str:
    """What is said when a probe cannot be opened."""
    with pytest.raises(ProbeError) as caught:
        open_probe(parse_probe(f"pgbouncer:{dsn}"))
    return str(caught.value)


def wait_until(true: Callable[[], bool], patience_s: float = 10.0) -> None:
    """Returns once it is true."""
    give_up = time.monotonic() + patience_s
    while time.monotonic() < give_up:
        if true():
            return
        time.sleep(0.01)
    raise AssertionError("it never was")


def test_sees_a_full_pool_and_who_waits_for_it(pooler: servers.PgBouncer) -> None:
    """Two queries run, one client waits, and for how long; the console counts for nothing."""
    with probing(pooler.dsn("pgbouncer", "watcher")) as probe, ExitStack() as stack:
        assert values(probe)["clients_active"] == values(probe)["pool_size"] == 0
        for _ in range(POOL_SIZE + 1):
            client = psycopg.connect(pooler.dsn(), autocommit=True)
            stack.callback(client.close)
            client.pgconn.send_query(b"SELECT pg_sleep(60)")
            client.pgconn.flush()
        wait_until(lambda: values(probe)["wait_max"] > 0.2)
        found = values(probe)
    assert found["clients_active"] == found["servers_active"] == found["pool_size"] == POOL_SIZE
    assert found["clients_waiting"] == 1
    assert found["servers_idle"] == 0
    assert found["wait_max"] < 30.0


def test_counts_transactions_and_queries(pooler: servers.PgBouncer) -> None:
    """A known number of both is what the counters grow by, whatever the probe asks."""
    with (
        probing(pooler.dsn("pgbouncer", "watcher")) as probe,
        psycopg.connect(pooler.dsn(), autocommit=True) as client,
    ):
        before = values(probe)
        for _ in range(3):
            client.execute("SELECT 1")
        with client.transaction():
            client.execute("SELECT 1")
        after = values(probe)
    assert after["transactions"] - before["transactions"] == 4
    assert after["queries"] - before["queries"] == 6
    assert after["servers_idle"] == 1


def test_passwords_open_it_and_are_never_shown(
    behind: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the DSN or the environment; a wrong one is refused and not told."""
    users = {"watcher": "s3cret", "postgres": "0ther"}
    with servers.pgbouncer(behind, users=users) as pooler:
        with probing(pooler.dsn("pgbouncer", "watcher", "s3cret")) as probe:
            assert probe.read()
        says = failure(pooler.dsn("pgbouncer", "watcher", "wr0ng"))
        assert "authentication failed" in says
        assert "wr0ng" not in says
        assert "not allowed" in failure(pooler.dsn("pgbouncer", "postgres", "0ther"))
        monkeypatch.setenv("PGPASSWORD", "s3cret")
        with probing(pooler.dsn("pgbouncer", "watcher")) as probe:
            assert probe.read()


def test_what_is_no_console_is_said_to_be_none(pooler: servers.PgBouncer, behind: Postgres) -> None:
    """A pool, and PostgreSQL itself, know no SHOW POOLS: what to write instead is said."""
    for dsn in (pooler.dsn(), behind.dsn()):
        assert "is this the console? End the DSN with /pgbouncer" in failure(dsn)


def test_says_that_nothing_listens() -> None:
    """A refused connection is told in libpq's words."""
    assert "Connection refused" in failure(f"postgresql://me@127.0.0.1:{free_port()}/pgbouncer")


def test_connects_anew_after_a_restart(behind: Postgres) -> None:
    """A PgBouncer that ends costs its samples; the next one at the same place is read."""
    port = {"listen_port": str(free_port())}
    with servers.pgbouncer(behind, port) as first:
        probe = open_probe(parse_probe(f"pgbouncer:{first.dsn('pgbouncer', 'watcher')}"))
    try:
        with pytest.raises(ProbeError):
            probe.read()
        with servers.pgbouncer(behind, port):
            wait_until(lambda: bool(probe.read()))
    finally:
        probe.close()


def test_sums_over_pools_and_takes_the_longest_wait() -> None:
    """A database with two users has two pools, each of its size."""
    pools = [
        {
            "database": "shop",
            "cl_active": "3",
            "sv_used": "1",
            "maxwait": "2",
            "maxwait_us": "500000",
        },
        {"database": "shop", "cl_active": "1", "sv_idle": "4", "maxwait": "0", "maxwait_us": "7"},
        {"database": "pgbouncer", "cl_active": "1"},
    ]
    stats = [{"database": "shop", "total_xact_count": "9", "total_query_count": "11"}]
    databases = [{"name": "shop", "pool_size": "20"}, {"name": "pgbouncer", "pool_size": "2"}]
    found = {reading.name: reading.value for reading in readings(pools, stats, databases)}
    assert found["clients_active"] == 4
    assert found["servers_idle"] == 5
    assert found["pool_size"] == 40
    assert found["wait_max"] == 2.5
    assert (found["transactions"], found["queries"]) == (9, 11)


_ROWS = st.lists(
    st.dictionaries(
        st.sampled_from(["database", "name", "cl_active", "maxwait", "pool_size"]),
        st.none() | st.text(max_size=6) | st.floats().map(str),
    ),
    max_size=3,
)


@given(pools=_ROWS, stats=_ROWS, databases=_ROWS)
def test_any_rows_are_readings_or_an_error(
    pools: list[dict[str, str | None]],
    stats: list[dict[str, str | None]],
    databases: list[dict[str, str | None]],
) -> None:
    """Whatever text the columns hold, no other error comes out."""
    try:
        found = readings(pools, stats, databases)
    except ProbeError:
        return
    assert all(isinstance(reading.value, float | int) for reading in found)
