"""The probes of another machine as a feed: their samples on our clock, and no harm from there."""

import threading
import time
from collections.abc import Iterator
from contextlib import closing

from breakstep.model.errors import ProbeError
from breakstep.model.probe import ProbeSpec, ProbeState
from breakstep.probe.agent_clock import Pinger, compare_clocks
from breakstep.probe.agent_connection import AgentConnection
from breakstep.probe.agent_endpoint import endpoint
from breakstep.probe.agent_guard import BYTES_PER_S, ROWS_PER_S, Allowance, Guard
from breakstep.probe.agent_protocol import DEFAULT_PORT, Message, Pong, Rows, States
from breakstep.probe.sampler import STOP_S, Deliver

PING_EVERY_S = 5.0
SILENCE_S = 15.0
"""An agent says how it is every second. Silent for so long, it is given up."""
RETRY_S = 1.0
UNSURE_S = 0.05
"""A clock that is known no better is worth a word."""
SAYS_MAX = 600


class AgentFeed:
    """Listens to an agent until stopped, and connects anew for as long as it takes.

    Making one connects and compares the clocks. Raises ProbeError.
    """

    def __init__(self, spec: ProbeSpec, deliver: Deliver) -> None:
        self._spec = spec
        self._deliver = deliver
        self._where = endpoint(spec)
        self._guard = Guard(source_of(spec), {})
        self._bytes = Allowance("bytes", BYTES_PER_S)
        self._rows = Allowance("samples", ROWS_PER_S)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="agent", daemon=True)
        self._samples = self._failures = 0
        self._last_s: float | None = None
        self._trouble: str | None = None
        self._lost_s: float | None = None
        self._states = States(())
        self._pinger = Pinger()
        self._connection: AgentConnection | None = self._connect()

    def start(self) -> None:
        """Begins to listen."""
        self._thread.start()

    def stop(self) -> None:
        """Ends the connection and the thread; one in the middle of connecting ends by itself."""
        self._stop.set()
        connection = self._connection
        if connection is not None:
            connection.hang_up()
        if self._thread.ident is not None:
            self._thread.join(STOP_S)
        elif connection is not None:
            connection.close()

    def state(self) -> ProbeState:
        """How it fares, and what its probes say of themselves."""
        last_s = self._last_s
        return ProbeState(
            label=self._spec.label,
            kind=self._spec.kind,
            samples=self._samples,
            failures=self._failures + sum(probe.failures for probe in self._states.probes),
            silent_s=None if last_s is None else time.monotonic() - last_s,
            says="; ".join(self._troubles())[:SAYS_MAX] or None,
        )

    def _troubles(self) -> Iterator[str]:
        if self._trouble is not None:
            yield self._trouble
        for probe in self._states.probes:
            if probe.says is not None:
                yield f"{probe.label}: {probe.says}"
        for why, count in dict(self._guard.dropped).items():
            yield f"{count} samples were not taken: they {why}"
        uncertainty_s = self._pinger.uncertainty_s
        if uncertainty_s > UNSURE_S:
            yield f"its clock is known to ±{uncertainty_s * 1e3:.0f} ms only"

    def _connect(self) -> AgentConnection:
        connection = AgentConnection(self._where, self._bytes)
        try:
            self._pinger = compare_clocks(connection)
        except BaseException:
            connection.close()
            raise
        self._guard.kinds = connection.hello.kinds
        return connection

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._connection = connection = self._connection or self._connect()
                with closing(connection):
                    self._listen(connection)
            except ProbeError as error:
                self._failed(str(error))
            except Exception as error:  # noqa: BLE001  whatever an agent does must not end the run
                self._failed(f"{type(error).__name__}: {error}")
            self._connection = None
            self._stop.wait(RETRY_S)

    def _listen(self, connection: AgentConnection) -> None:
        connection.send({"start": True})
        heard_s = time.monotonic()
        ping_s = heard_s + PING_EVERY_S
        while not self._stop.is_set():
            message = connection.receive(ping_s)
            now_s = time.monotonic()
            if message is not None:
                heard_s = now_s
                self._take(message, now_s)
            elif now_s - heard_s > SILENCE_S:
                raise ProbeError(f"the agent said nothing for {SILENCE_S:g} s")
            if now_s >= ping_s:
                connection.send(self._pinger.ping())
                ping_s = now_s + PING_EVERY_S

    def _take(self, message: Message, now_s: float) -> None:
        match message:
            case Rows() as rows:
                self._rows.spend(len(rows.rows) + rows.senseless, now_s)
                self._deliver_all(rows, now_s)
            case Pong() as pong:
                self._pinger.pong(pong)
            case States() as states:
                self._states = states
            case _:
                raise ProbeError("it greets again and again: is it a breakstep agent?")

    def _deliver_all(self, rows: Rows, now_s: float) -> None:
        samples = list(self._guard.samples(rows, self._pinger.offset_s, time.time()))
        if not samples or self._stop.is_set():
            return
        if self._lost_s is not None:
            self._trouble = f"{self._trouble}; back after {now_s - self._lost_s:.0f} s"
            self._lost_s = None
        self._samples += len(samples)
        self._last_s = now_s
        self._deliver(samples)

    def _failed(self, says: str) -> None:
        if self._stop.is_set():
            return
        self._failures += 1
        self._trouble = says
        self._lost_s = self._lost_s or time.monotonic()


def source_of(spec: ProbeSpec) -> str:
    """What goes before the labels of an agent's probes: its place, or its name if it was given one.

    Ours, not the agent's: so no agent can pass for another, nor for a probe of this machine.
    """
    return spec.label.removeprefix("agent:").removesuffix(f":{DEFAULT_PORT}")
