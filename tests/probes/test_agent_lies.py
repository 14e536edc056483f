"""An agent that is none, or lies: it costs its signals, and is said to."""

import json
import socket
import time
from collections.abc import Callable
from functools import partial

import pytest

from breakstep.model.errors import ProbeError
from breakstep.model.probe import ProbeState
from breakstep.model.signal import Sample
from breakstep.plan.probes import parse_probe
from breakstep.probe.agent_connection import CONNECT_S
from breakstep.probe.agent_guard import BURST_S, ROWS_PER_S
from breakstep.probe.agent_protocol import line
from breakstep.probe.desk import ProbeDesk
from servers.lying_agent import HELLO, Script, honest_until_started, lying_agent


def says(*words: bytes) -> Script:
    """Hears the token, says this, and waits."""

    def script(connection: socket.socket) -> None:
        connection.recv(4_096)
        for word in words:
            connection.sendall(word)
        connection.recv(4_096)
        connection.recv(4_096)

    return script


def drips(connection: socket.socket) -> None:
    """A byte now and then, so that no single wait is long."""
    while True:
        connection.sendall(b" ")
        time.sleep(0.05)


def endless(connection: socket.socket) -> None:
    """A line that has no end."""
    while True:
        connection.sendall(b"x" * 65_536)


def hangs(connection: socket.socket) -> None:
    """Nothing, until the other side gives up."""
    while connection.recv(4_096):
        pass


def speechless(connection: socket.socket) -> None:
    """A hello and nothing more."""
    connection.sendall(HELLO)
    hangs(connection)


def leaves(connection: socket.socket) -> None:
    """Hears the token and closes."""
    connection.recv(4_096)


def trouble(script: Script) -> str:
    """Why a probe of it cannot be opened."""
    with lying_agent(script) as address, pytest.raises(ProbeError) as caught:
        ProbeDesk.open([parse_probe(f"agent:{address},token=t")])
    return str(caught.value)


@pytest.mark.parametrize(
    ("script", "remedy"),
    [
        (leaves, "closed the connection without a word: wrong token"),
        (hangs, "said no hello in 3 s: is it a breakstep agent?"),
        (drips, "said no hello in 3 s: is it a breakstep agent?"),
        (endless, "a line of more than 1048576 bytes: is it an agent?"),
        (says(b"HTTP/1.1 400 Bad Request\r\n"), "not the language of an agent"),
        (says(b"\x00\xff\xfe\n"), "not the language of an agent"),
        (says(b"\x15\x03\x01\x00\x02\x02\x46"), "it speaks TLS"),
        (says(line({"refused": "no\x1b[31m room"})), "it refused: no\\x1b[31m room"),
        (says(line({"states": []})), "said no hello"),
        (speechless, "does not say what time it is"),
    ],
)
def test_what_is_no_agent_is_said_to_be_none(script: Script, remedy: str) -> None:
    """Within seconds, whatever it does, and with what to look at."""
    begun_s = time.monotonic()
    assert remedy in trouble(script)
    assert time.monotonic() - begun_s < 3 * CONNECT_S


def beside_a_liar(
    lie: Script,
    done: Callable[[ProbeState], bool],
    now_s: Callable[[], float] = time.time,
) -> tuple[ProbeState, list[Sample]]:
    """A desk with a liar and an honest probe, until `done`; the liar's state and all samples."""

    def script(connection: socket.socket) -> None:
        honest_until_started(connection, now_s)
        lie(connection)
        hangs(connection)

    with lying_agent(script) as address:
        desk = ProbeDesk.open(
            [parse_probe(f"agent:{address},token=t,name=liar"), parse_probe("host,every=50ms")]
        )
        try:
            desk.start()
            samples: list[Sample] = []
            give_up = time.monotonic() + 20.0
            while not done(desk.states()[0]) and time.monotonic() < give_up:
                time.sleep(0.02)
                samples += desk.take()
            liar, honest = desk.states()
            time.sleep(0.2)
            later = desk.take()
            assert any(sample.signal.source == "host" for sample in later), "the honest one goes on"
            assert (honest.failures, desk.lost) == (0, 0)
        finally:
            desk.stop()
    return liar, [*samples, *later]


def row(value: object, at_s: float | None = None) -> list[object]:
    """A row of a liar."""
    return ["cpu", "share", time.time() if at_s is None else at_s, value]


def test_a_flood_ends_its_connection_and_no_memory() -> None:
    """What comes in faster than any agent samples is not kept."""
    many = line({"samples": "host", "rows": [row(0.5)] * 1_000})

    def flood(connection: socket.socket) -> None:
        for _ in range(1_000):
            connection.sendall(many)

    state, samples = beside_a_liar(flood, lambda state: state.failures > 0)
    assert state.says is not None
    assert "a second: sample less often there" in state.says
    assert sum(s.signal.source == "liar/host" for s in samples) <= ROWS_PER_S * (BURST_S + 5)


def test_values_that_are_none_and_times_that_are_not_now_are_dropped_and_counted() -> None:
    """The good ones beside them are kept."""
    rows = [
        row(0.25),
        row(float("nan")),
        row(float("inf")),
        row("0.5"),
        row(0.5, time.time() - 3_600),
        row(0.5, time.time() + 3_600),
    ]
    lie = json.dumps({"samples": "host", "rows": rows}).encode() + b"\n"
    state, samples = beside_a_liar(
        lambda connection: connection.sendall(lie), lambda state: state.samples > 0
    )
    assert [s.value for s in samples if s.signal.source == "liar/host"] == [0.25]
    assert state.says is not None
    assert "3 samples were not taken: they made no sense" in state.says
    assert "2 samples were not taken: they were more than 60 s from now" in state.says


def test_it_cannot_pass_for_another_source() -> None:
    """Its label goes behind the name that we gave it."""
    lie = line({"samples": "host", "rows": [row(0.75)]})
    _, samples = beside_a_liar(
        lambda connection: connection.sendall(lie), lambda state: state.samples > 0
    )
    assert [s.signal.source for s in samples if s.value == 0.75] == ["liar/host"]


@pytest.mark.parametrize("lie", [b"nonsense\n", HELLO, b"[" * 100_000 + b"\n"])
def test_nonsense_ends_its_connection(lie: bytes) -> None:
    """And is said."""
    state, _ = beside_a_liar(
        lambda connection: connection.sendall(lie), lambda state: state.failures > 0
    )
    assert state.says is not None
    assert "agent" in state.says


def test_a_clock_that_jumps_about_loses_its_samples_at_most() -> None:
    """Times that lie in no order give no offset that anything else would follow."""
    jumps = iter(range(0, 10_000_000, 1_000))
    lie = line({"samples": "host", "rows": [row(0.5)]})
    state, samples = beside_a_liar(
        lambda connection: connection.sendall(lie),
        lambda state: state.says is not None,
        now_s=partial(next, jumps),
    )
    assert not [s for s in samples if s.signal.source == "liar/host"]
    assert state.says is not None
    assert "more than 60 s from now" in state.says
