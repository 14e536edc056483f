"""`breakstep agent` as a process, and the probe `agent:` that listens to it."""

import signal
import socket
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from breakstep.model.errors import ProbeError
from breakstep.model.signal import Sample
from breakstep.plan.probes import parse_probe
from breakstep.probe.agent_client import RETRY_S
from breakstep.probe.agent_protocol import greeting
from breakstep.probe.agent_server import CLIENTS_MAX, STRANGERS_MAX
from breakstep.probe.agent_visitor import GREETING_S
from breakstep.probe.desk import ProbeDesk
from servers.agent import TOKEN, Agent, agent

QUICK = "host,every=50ms"
PATIENCE_S = 20.0


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    """An agent that samples its machine twenty times a second."""
    with agent(tmp_path_factory.mktemp("agent"), [QUICK]) as started:
        yield started


@contextmanager
def desk_of(*texts: str) -> Iterator[ProbeDesk]:
    """A desk that samples what the texts say."""
    desk = ProbeDesk.open([parse_probe(text) for text in texts])
    try:
        desk.start()
        yield desk
    finally:
        desk.stop()


def until(what: Callable[[], bool], within_s: float = PATIENCE_S) -> None:
    """Returns once `what` is true; fails if that takes too long."""
    give_up = time.monotonic() + within_s
    while not what():
        assert time.monotonic() < give_up, "it never came true"
        time.sleep(0.02)


def taken(desk: ProbeDesk, at_least: int = 1) -> list[Sample]:
    """So many samples of a desk, or more."""
    samples: list[Sample] = []

    def enough() -> bool:
        samples.extend(desk.take())
        return len(samples) >= at_least

    until(enough)
    return samples


def dialled(started: Agent) -> socket.socket:
    """A bare connection to an agent."""
    host, _, port = started.address.rpartition(":")
    return socket.create_connection((host, int(port)), timeout=PATIENCE_S)


def everything(connection: socket.socket) -> bytes:
    """What the other side says until it closes; a reset is a close."""
    said = b""
    try:
        while chunk := connection.recv(65_536):
            said += chunk
    except ConnectionResetError:
        pass
    return said


def test_its_signals_are_those_of_a_local_probe_under_a_source_that_names_the_agent(
    running: Agent,
) -> None:
    """Kind, names and units are the real ones, so that a diagnosis reads them like any other."""
    with desk_of(running.spec, "host,every=50ms") as desk:
        samples = taken(desk, 400)
    here = {s.signal for s in samples if s.signal.source == "host"}
    there = {s.signal for s in samples if s.signal.source == f"{running.address}/host"}
    assert here | there == {s.signal for s in samples}
    assert {(s.kind, s.name, s.unit) for s in there} == {(s.kind, s.name, s.unit) for s in here}


def test_a_name_takes_the_place_of_the_address(running: Agent) -> None:
    """`name=web1` makes the source web1/host."""
    with desk_of(f"{running.spec},name=web1") as desk:
        assert {sample.signal.source for sample in taken(desk)} == {"web1/host"}


@pytest.mark.parametrize(
    "said",
    [
        b"breakstep-agent/1 " + TOKEN[:-1].encode() + b"x\n",
        b"breakstep-agent/1 \n",
        b"breakstep-agent/1\n",
        b"breakstep-agent/2 wrong\n",
        b"GET / HTTP/1.1\r\nHost: agent\r\n\r\n",
        b"some-other/1 " + TOKEN.encode() + b"\n",
        b'{"ping": 1}\n{"start": true}\n',
        b"\x00\xff" * 200 + b"\n",
        b"x" * 100_000,
        b"\n",
    ],
)
def test_without_the_token_nothing_is_answered(running: Agent, said: bytes) -> None:
    """Whatever a stranger says, the connection ends without a byte."""
    with closing(dialled(running)) as connection:
        connection.sendall(said)
        assert everything(connection) == b""


def test_a_stranger_that_says_nothing_is_sent_away(running: Agent) -> None:
    """A connection that never shows a token is closed after seconds, and gets no byte."""
    with closing(dialled(running)) as connection:
        begun_s = time.monotonic()
        assert everything(connection) == b""
        assert time.monotonic() - begun_s > GREETING_S / 2


def test_strangers_cannot_take_the_place_of_a_client(running: Agent) -> None:
    """With all places for strangers taken, more are sent away, and a client notices nothing."""
    with desk_of(running.spec) as desk:
        taken(desk)
        strangers = [dialled(running) for _ in range(STRANGERS_MAX + 5)]
        try:
            sent_away = strangers[-1]
            assert everything(sent_away) == b""
            taken(desk, 200)
        finally:
            for stranger in strangers:
                stranger.close()
        assert desk.states()[0].failures == 0


def test_a_client_can_ask_for_the_time_and_for_samples_and_for_nothing_else(running: Agent) -> None:
    """Any other request, such as for a probe, ends the connection."""
    with closing(dialled(running)) as connection:
        connection.sendall(greeting(TOKEN) + b'{"probe": "command:id"}\n')
        said = everything(connection)
    assert said.startswith(b'{"hello":')
    assert said.count(b"\n") == 1


def test_nothing_is_streamed_before_it_is_asked_for(running: Agent) -> None:
    """A client that only said its token hears the hello and then silence."""
    with closing(dialled(running)) as connection:
        connection.sendall(greeting(TOKEN))
        assert connection.recv(65_536).startswith(b'{"hello":')
        connection.settimeout(1.0)
        with pytest.raises(TimeoutError):
            connection.recv(65_536)


def test_another_version_is_refused_by_name(running: Agent) -> None:
    """Whoever has the token hears which version is spoken."""
    with closing(dialled(running)) as connection:
        connection.sendall(b"breakstep-agent/2 " + TOKEN.encode() + b"\n")
        assert b"speaks breakstep-agent/1" in everything(connection)


def test_many_clients_hear_the_same(running: Agent) -> None:
    """As many as it serves get samples at once; one more is told why it does not."""
    specs = [f"{running.spec},name=c{number}" for number in range(CLIENTS_MAX)]
    with desk_of(*specs) as desk:
        heard: set[str] = set()

        def everyone() -> bool:
            heard.update(sample.signal.source for sample in desk.take())
            return len(heard) == CLIENTS_MAX

        until(everyone)
        with pytest.raises(ProbeError, match=f"serves {CLIENTS_MAX} clients already"):
            ProbeDesk.open([parse_probe(running.spec)])


def test_a_client_that_does_not_read_is_cut_off(tmp_path: Path) -> None:
    """The agent keeps a bounded queue for each client, and says whom it cut off."""
    probes = [f"host,every=50ms,name=h{number}" for number in range(30)]
    with agent(tmp_path, probes) as started, closing(socket.socket()) as deaf:
        # A small window, so that the kernel does not hide the slowness for minutes.
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        host, _, port = started.address.rpartition(":")
        deaf.connect((host, int(port)))
        deaf.sendall(greeting(TOKEN) + b'{"start":true}\n')
        with desk_of(started.spec) as desk:
            until(lambda: "reads too slowly" in started.log.read_text(), 60.0)
            assert desk.states()[0].failures == 0


def test_killing_it_costs_its_signals_and_nothing_else(tmp_path: Path) -> None:
    """The desk goes on, says what happened, and hears the agent again once it is back."""
    with agent(tmp_path, [QUICK]) as first:
        spec, address = first.spec, first.address
        with desk_of(spec, QUICK) as desk:
            taken(desk, 200)
            first.process.kill()
            until(lambda: desk.states()[0].failures > 1)
            desk.take()
            samples = taken(desk, 200)
            assert {sample.signal.source for sample in samples} == {"host"}
            there, here = desk.states()
            assert here.says is None
            assert there.says is not None
            assert "nothing listens" in there.says
            with agent(tmp_path, [QUICK], "--listen", address):
                until(lambda: "back after" in (desk.states()[0].says or ""))
                assert any(s.signal.source == f"{address}/host" for s in taken(desk, 200))


def test_a_stopped_agent_is_no_reason_to_wait(tmp_path: Path) -> None:
    """A desk stops at once although its agent hangs."""
    with agent(tmp_path, [QUICK]) as started:
        desk = ProbeDesk.open([parse_probe(started.spec)])
        desk.start()
        taken(desk)
        started.process.send_signal(signal.SIGSTOP)
        begun_s = time.monotonic()
        desk.stop()
        took_s = time.monotonic() - begun_s
        started.process.send_signal(signal.SIGCONT)
    assert took_s < RETRY_S


def test_samples_stand_on_the_clock_of_whoever_listens(tmp_path: Path) -> None:
    """An agent an hour ahead gives samples of now, and the offset is known."""
    with agent(tmp_path, [QUICK], clock_ahead_s=3600.0) as started, desk_of(started.spec) as desk:
        taken(desk, 100)
        desk.take()
        late_s = []
        for _ in range(5):
            samples = taken(desk, 1)
            late_s += [time.time() - sample.at_s for sample in samples]
    assert min(late_s) > -0.05
    assert statistics.median(late_s) < 2.0
    assert abs(samples[0].signal.clock_offset_s - 3600.0) < 0.05


def test_a_wrong_token_is_said_to_be_one(running: Agent) -> None:
    """The client cannot know, and says what it most likely is."""
    with pytest.raises(ProbeError, match="wrong token"):
        ProbeDesk.open([parse_probe(f"agent:{running.address},token=wrong")])


def test_the_token_comes_from_the_environment(
    running: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without `token=` the variable is read; without either the message names both."""
    bare = parse_probe(f"agent:{running.address}")
    monkeypatch.delenv("BREAKSTEP_AGENT_TOKEN", raising=False)
    with pytest.raises(ProbeError, match=r"token=.* BREAKSTEP_AGENT_TOKEN"):
        ProbeDesk.open([bare])
    monkeypatch.setenv("BREAKSTEP_AGENT_TOKEN", TOKEN)
    ProbeDesk.open([bare]).stop()


def test_an_agent_that_cannot_read_its_probe_does_not_start(tmp_path: Path) -> None:
    """It says which, as breakstep itself would."""
    with (
        pytest.raises(RuntimeError, match=r"error: --probe json:http://127\.0\.0\.1:1/"),
        agent(tmp_path, ["json:http://127.0.0.1:1/"]),
    ):
        pass
