"""PostgreSQL: a real server, idle, busy, locked, full and hung; and impostors of one."""

import os
import signal
import struct
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakstep.lab.servers import postgres as servers
from breakstep.lab.servers.pgbouncer import pgbouncer
from breakstep.lab.servers.process import free_port
from breakstep.model.errors import ProbeError
from breakstep.model.probe import ProbeSpec
from breakstep.plan.probes import parse_probe
from breakstep.probe import libpq, registry
from breakstep.probe.postgres import Postgres, open_probe, readings, remark
from breakstep.probe.postgres_cpu import LocalServer, find_server
from servers.hostile import behaving, full_backlog
from servers.peer import Peer

Connection = psycopg.Connection[tuple[object, ...]]
MAX_CONNECTIONS = 20
OURS_OR_RESERVED = 4
"""Three connections are a superuser's, and one is the probe's."""


@pytest.fixture(scope="module")
def server() -> Iterator[servers.Postgres]:
    """One for all tests; each leaves no session behind."""
    hba = "local all all trust\nhost all locked 127.0.0.1/32 scram-sha-256\n"
    settings = {"max_connections": str(MAX_CONNECTIONS)}
    with servers.postgres(settings, hba=f"{hba}host all all 127.0.0.1/32 trust\n") as running:
        running.run(
            "CREATE ROLE app LOGIN",
            "CREATE ROLE blind LOGIN",
            "CREATE ROLE watcher LOGIN",
            "GRANT pg_monitor TO watcher",
            "CREATE ROLE locked LOGIN PASSWORD 's3cret'",
            "CREATE TABLE stock AS SELECT 1 AS id",
            "GRANT ALL ON stock TO app",
        )
        yield running


@pytest.fixture
def clients(server: servers.Postgres) -> Iterator["Clients"]:
    """Sessions of an app, ended when the test is over."""
    with ExitStack() as stack:
        yield Clients(server, stack)
    server.run(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
        " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
    )


class Clients:
    """Opens sessions."""

    def __init__(self, server: servers.Postgres, stack: ExitStack) -> None:
        self._server = server
        self._stack = stack

    def connect(self, user: str = "app") -> Connection:
        """An idle session."""
        opened = psycopg.connect(self._server.dsn(user), autocommit=True)
        self._stack.callback(opened.close)
        return opened

    def busy(self, query: str) -> Connection:
        """A session in the middle of a query."""
        connection = self.connect()
        connection.pgconn.send_query(query.encode())
        connection.pgconn.flush()
        return connection


@contextmanager
def probing(dsn: str) -> Iterator[Postgres]:
    """An open probe."""
    probe = open_probe(parse_probe(f"postgres:{dsn}"))
    try:
        yield probe
    finally:
        probe.close()


def values(probe: Postgres) -> dict[str, float]:
    """What it reads."""
    return {reading.name: reading.value for reading in probe.read()}


def failed(probe: Postgres) -> str | None:
    """What it says if it cannot be read."""
    try:
        probe.read()
    except ProbeError as error:
        return str(error)
    return None


def failure(dsn: str) -> str:
    """What is said when a probe cannot be opened."""
    with pytest.raises(ProbeError) as caught:
        open_probe(parse_probe(f"postgres:{dsn}"))
    return str(caught.value)


def wait_until(true: Callable[[], bool], patience_s: float = 10.0) -> None:
    """Returns once it is true."""
    give_up = time.monotonic() + patience_s
    while time.monotonic() < give_up:
        if true():
            return
        time.sleep(0.01)
    raise AssertionError("it never was")


@pytest.mark.parametrize("unix", [False, True])
def test_an_idle_server_has_nobody_in_it(server: servers.Postgres, *, unix: bool) -> None:
    """The probe does not count itself, over TCP and over the unix socket."""
    with probing(server.dsn("watcher", unix=unix)) as probe:
        found = values(probe)
        assert probe.remark is None
    assert found["connections"] == found["active"] == found["idle"] == 0
    assert found["longest_query"] == 0.0
    assert found["max_connections"] == MAX_CONNECTIONS - OURS_OR_RESERVED


def test_counts_sessions_by_state_and_by_what_they_wait_for(
    server: servers.Postgres, clients: Clients
) -> None:
    """Idle, in a transaction, asleep, and behind a lock are told apart."""
    holder = clients.connect()
    clients.connect()
    holder.execute("BEGIN")
    holder.execute("LOCK TABLE stock")
    clients.busy("SELECT pg_sleep(60)")
    clients.busy("SELECT * FROM stock")
    with probing(server.dsn("watcher")) as probe:
        wait_until(lambda: values(probe)["active"] == 2)
        wait_until(lambda: values(probe)["longest_query"] > 0.3)
        found = values(probe)
    assert found["connections"] == 4
    assert found["idle"] == found["idle_in_transaction"] == 1
    assert found["waiting_lock"] == found["locks_waiting"] == 1
    assert found["waiting_other"] == 1
    assert found["waiting_io"] == 0
    assert found["longest_query"] < 30.0


def test_counts_transactions_and_rollbacks(server: servers.Postgres, clients: Clients) -> None:
    """What was done shows once the session's counts are published, and rollbacks among them."""
    with probing(server.dsn("watcher")) as probe:
        before = values(probe)
        worker = clients.connect()
        for _ in range(200):
            worker.execute("SELECT 1")
        for _ in range(10):
            worker.execute("BEGIN")
            worker.execute("ROLLBACK")
        worker.close()
        wait_until(lambda: values(probe)["rollbacks"] - before["rollbacks"] >= 10)
        assert values(probe)["transactions"] - before["transactions"] >= 210


@pytest.mark.sockets
def test_a_heavy_query_is_one_core(server: servers.Postgres, clients: Clients) -> None:
    """What a busy backend used is what the kernel counts for it, and nearly all of the time."""
    with probing(server.dsn("watcher")) as probe:
        before = values(probe)["cpu"]
        busy = clients.busy("SELECT count(*) FROM generate_series(1, 1000000000)")
        pid = busy.info.backend_pid
        wait_until(lambda: cpu_s(pid) > 1.0, 60.0)
        used, kernel = values(probe)["cpu"] - before, cpu_s(pid)
    assert used == pytest.approx(kernel, abs=0.15)


@pytest.mark.sockets
def test_cpu_never_falls_while_sessions_come_and_go(
    server: servers.Postgres, clients: Clients
) -> None:
    """What a session used is still counted after it ended, and not counted twice."""
    with probing(server.dsn("watcher")) as probe:
        seen = [values(probe)["cpu"]]
        for _ in range(30):
            worker = clients.connect()
            worker.execute("SELECT count(*) FROM generate_series(1, 100000)")
            worker.close()
            seen += [found["cpu"] for _ in range(3) if "cpu" in (found := values(probe))]
    assert len(seen) > 45
    assert seen == sorted(seen)
    assert seen[-1] > seen[0]


def test_works_when_the_server_is_full(server: servers.Postgres, clients: Clients) -> None:
    """The connection of the start goes on answering; one opened later is told what to do."""
    with probing(server.dsn("watcher")) as probe:
        for _ in range(MAX_CONNECTIONS - OURS_OR_RESERVED):
            clients.connect()
        with pytest.raises(psycopg.OperationalError):
            clients.connect()
        found = values(probe)
        assert found["connections"] == found["max_connections"] == found["idle"]
        says = failure(server.dsn("watcher"))
        assert "slots are reserved" in says
        assert "open the probe before the load" in says


def test_states_that_are_hidden_are_left_out_and_said_to_be(
    server: servers.Postgres, clients: Clients
) -> None:
    """A user without the right sees its own sessions; with others there, no state is guessed."""
    with probing(server.dsn("blind")) as probe:
        assert "GRANT pg_monitor TO blind" in (probe.remark or "")
        clients.connect("blind")
        wait_until(lambda: values(probe).get("idle") == 1)
        clients.busy("SELECT pg_sleep(60)")
        found = values(probe)
        assert found["connections"] == 2
        assert not found.keys() & {"active", "idle", "waiting_other", "longest_query"}
        assert found["cpu"] > 0.0


def test_remarks_that_activity_is_not_tracked() -> None:
    """Without track_activities every state would read as none."""
    with servers.postgres({"track_activities": "off"}) as blind, probing(blind.dsn()) as probe:
        assert "track_activities is off" in (probe.remark or "")
        with psycopg.connect(blind.dsn()):
            found = values(probe)
    assert found["connections"] == 1
    assert "active" not in found


def test_can_change_nothing_and_wait_for_little(server: servers.Postgres, clients: Clients) -> None:
    """Its session is read-only, and a statement of it ends after a second, behind a lock too."""
    clients.connect().execute("SELECT 1")
    with probing(f"{server.dsn('app')}?options=-c%20work_mem%3D5MB") as probe:
        ask = probe._session.ask
        assert ask("SHOW work_mem") == [[{"work_mem": "5MB"}]]
        assert ask("SHOW application_name") == [[{"application_name": "breakstep"}]]
        with pytest.raises(ProbeError, match="read-only transaction"):
            ask("DELETE FROM stock")
        began_s = time.monotonic()
        with pytest.raises(ProbeError, match="statement timeout"):
            ask("SELECT pg_sleep(30)")
        assert time.monotonic() - began_s < 5.0
        assert "connections" in values(probe)


def test_a_hung_backend_costs_two_seconds_and_then_another_is_opened(
    server: servers.Postgres,
) -> None:
    """A server that answers nothing more is given up, and connected to anew."""
    with probing(server.dsn("watcher")) as probe:
        [[row]] = probe._session.ask("SELECT pg_backend_pid() AS pid")
        pid = int(row["pid"] or 0)
        os.kill(pid, signal.SIGSTOP)
        try:
            began_s = time.monotonic()
            assert failed(probe) == "PostgreSQL did not answer within 2 s"
            assert 1.5 < time.monotonic() - began_s < 5.0
            assert "connections" in values(probe)
        finally:
            os.kill(pid, signal.SIGCONT)


def test_a_session_that_is_ended_is_opened_again(server: servers.Postgres) -> None:
    """The read that meets its end fails, the next one has everything, CPU too."""
    with probing(server.dsn("watcher")) as probe:
        server.run(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE application_name = 'breakstep'"
        )
        assert "terminating connection" in (failed(probe) or "")
        assert values(probe)["cpu"] > 0.0


def test_refuses_a_pooler_and_changes_nothing_behind_it(server: servers.Postgres) -> None:
    """Settings would stay with a connection that the service gets next."""
    shown = "SHOW default_transaction_read_only"
    settings = {"pool_mode": "transaction", "default_pool_size": "1"}
    with pgbouncer(server, settings) as pooler, psycopg.connect(pooler.dsn()) as through:
        assert through.execute(shown).fetchall() == [("off",)]
        through.commit()
        says = failure(pooler.dsn())
        assert "is this PgBouncer? Give the address of PostgreSQL itself" in says
        assert through.execute(shown).fetchall() == [("off",)]


def test_passwords_open_it_and_are_never_shown(
    server: servers.Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the DSN or the environment; a wrong one is refused and not told."""
    with probing(server.dsn("locked", "s3cret")) as probe:
        assert probe.read()
    says = failure(server.dsn("locked", "wr0ng"))
    assert 'password authentication failed for user "locked"' in says
    assert "wr0ng" not in says
    assert "set PGPASSWORD" in failure(server.dsn("locked"))
    monkeypatch.setenv("PGPASSWORD", "s3cret")
    with probing(server.dsn("locked")) as probe:
        assert probe.read()


@pytest.mark.parametrize(
    "dsn",
    [
        "postgresql://me:hun%ter2@127.0.0.1/x",
        "postgresql://me:hunter2@[::1/x",
        "host=127.0.0.1 password='hunter2",
        "host=127.0.0.1 hunter2",
        "host=127.0.0.1 hunter2=1",
    ],
)
def test_a_faulty_dsn_is_not_shown(dsn: str) -> None:
    """What libpq cannot read it quotes, and that may be the password."""
    says = failure(dsn)
    assert "the DSN cannot be read: write postgresql://" in says
    assert "ter2" not in says


def test_says_that_nothing_listens() -> None:
    """A refused connection is told in libpq's words, on one line."""
    says = failure(f"postgresql://me@127.0.0.1:{free_port()}/x")
    assert "Connection refused Is the server running" in says
    assert says.isprintable()


def test_says_what_to_install_without_psycopg(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is named when it is missing."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    for name in ("libpq", "postgres"):
        monkeypatch.delitem(sys.modules, f"breakstep.probe.{name}")
    with pytest.raises(ProbeError, match=r"pip install 'breakstep\[postgres\]'"):
        registry.open_probe(ProbeSpec("postgres", "postgresql://h/d", "db"))


def message(kind: bytes, body: bytes) -> bytes:
    """One message of PostgreSQL's protocol."""
    return kind + struct.pack("!I", len(body) + 4) + body


ASK_PASSWORD = message(b"R", struct.pack("!I", 3))
WELCOME = message(b"R", struct.pack("!I", 0)) + message(b"Z", b"I")


def impostor(*answers: bytes, endless: bytes = b"") -> Callable[[Peer], None]:
    """Refuses encryption, then answers each message with the next of these."""

    def behave(peer: Peer) -> None:
        peer.some()
        peer.send(b"N")
        for answer in answers:
            peer.some()
            peer.send(answer)
        while endless and not peer.stopping.is_set():
            peer.send(endless)
        peer.wait_until_client_leaves()

    return behave


def test_a_server_that_echoes_the_password_does_not_show_it() -> None:
    """What an impostor makes of the password is taken out of its words, its escapes too."""
    error = message(b"E", b"SFATAL\0C28P01\0Myou said \x1b[31mhunter2\0\0")
    with behaving(impostor(ASK_PASSWORD, error)) as address:
        says = failure(f"postgresql://me:hunter2@{address}/x?gssencmode=disable")
    assert r"you said \x1b[31m***" in says
    assert "hunter2" not in says


def test_a_flood_of_rows_is_cut() -> None:
    """An answer without end costs some megabytes and fails."""
    column = b"x\0" + struct.pack("!IHIHIH", 0, 0, 25, 0xFFFF, 0, 0)
    header = message(b"T", struct.pack("!H", 1) + column)
    row = message(b"D", struct.pack("!HI", 1, 60_000) + b"x" * 60_000)
    with behaving(impostor(WELCOME, header, endless=row)) as address:
        says = failure(f"postgresql://me@{address}/x?gssencmode=disable")
    assert says == "PostgreSQL sent more than 4000000 bytes"


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"\xff" * 500,
        message(b"T", b"\0"),
        message(b"C", b"SELECT 0\0") + message(b"Z", b"I"),
        message(b"I", b"") + message(b"Z", b"I"),
        message(b"H", struct.pack("!BH", 0, 0)) + message(b"c", b""),
        message(b"E", b"\0"),
    ],
    ids=["silence", "noise", "torn", "no rows", "empty", "copy", "error"],
)
def test_survives_impostors(answer: bytes) -> None:
    """Whatever follows the login ends in a ProbeError within seconds."""
    began_s = time.monotonic()
    with behaving(impostor(WELCOME, answer)) as address:
        assert failure(f"postgresql://me@{address}/x?gssencmode=disable").isprintable()
    assert time.monotonic() - began_s < 8.0


def test_a_server_that_never_answers_is_given_up() -> None:
    """Neither a full backlog nor silence lasts longer than the timeout."""
    with full_backlog() as address:
        began_s = time.monotonic()
        assert "did not answer within 2 s" in failure(f"postgresql://me@{address}/x")
        assert time.monotonic() - began_s < 8.0


@given(
    cells=st.dictionaries(
        st.sampled_from(["connections", "hidden", "active", "transactions"]),
        st.none() | st.text(max_size=8) | st.floats().map(str),
    )
)
def test_any_row_is_readings_or_an_error(cells: dict[str, str | None]) -> None:
    """Whatever text the columns hold, no other error comes out."""
    try:
        found = readings(cells)
    except ProbeError:
        return
    assert all(isinstance(reading.value, float) for reading in found)


def test_remarks_only_what_is_hidden() -> None:
    """Who sees everything is told nothing."""
    assert remark({"sees_all": "t", "tracked": "on"}) is None
    assert remark({"sees_all": "f", "tracked": "on", "name": "me"}) is not None


def test_finds_the_server_of_a_session_in_a_container(tmp_path: Path) -> None:
    """Its id inside and the start of its process name it; either alone does not."""
    (tmp_path / "uptime").write_text("1000.00 0.00")
    booted_s = time.time() - 1000.0
    process(tmp_path, 500, parent=400, started=90_000, inner=31)
    process(tmp_path, 501, parent=401, started=50_000, inner=31)
    process(tmp_path, 400, parent=1, started=80_000, inner=1)
    proc = str(tmp_path)
    assert find_server(31, booted_s + 900.0, proc) == LocalServer(400, 80_000, proc)
    assert find_server(31, booted_s + 700.0, proc) is None
    assert find_server(500, booted_s + 900.0, proc) is None


def process(proc: Path, pid: int, *, parent: int, started: int, inner: int) -> None:
    """One process as the kernel shows it."""
    (proc / str(pid)).mkdir()
    (proc / str(pid) / "status").write_text(f"Name:\tpostgres\nNSpid:\t{pid}\t{inner}\n")
    columns = ["S", str(parent), *["0"] * 17, str(started), *["0"] * 30]
    (proc / str(pid) / "stat").write_text(f"{pid} (postgres) {' '.join(columns)}")


def cpu_s(pid: int) -> float:
    """What the kernel counted for a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100.0


def test_cpu_of_a_server_that_is_gone_is_none(server: servers.Postgres) -> None:
    """A later process with the same id is not taken for it."""
    assert LocalServer(server.pid, 1).cpu_s() is None
    assert libpq.number({"a": None}, "a") is None
