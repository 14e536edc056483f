"""Something that answers where an agent should, and says what it likes."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from breakstep.probe.agent_protocol import line

Script = Callable[[socket.socket], None]

HELLO = line({"hello": "liar", "probes": [["host", "host"]]})


@contextmanager
def lying_agent(script: Script) -> Iterator[str]:
    """Runs the script on every connection, one after the other. Yields the address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=_serve, args=(listener, script))
        thread.start()
        try:
            yield f"127.0.0.1:{listener.getsockname()[1]}"
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def honest_until_started(connection: socket.socket, now_s: Callable[[], float]) -> None:
    """Says hello and the time, and returns once it is to send samples."""
    with connection.makefile("rb") as requests:
        requests.readline()
        connection.sendall(HELLO)
        for number in range(1, 1_000):
            if b"start" in requests.readline():
                return
            at_s = now_s()
            connection.sendall(line({"pong": number, "received_s": at_s, "answered_s": at_s}))


def _serve(listener: socket.socket, script: Script) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        # The other side may hang up in the middle of a lie.
        with connection, suppress(OSError):
            connection.settimeout(10.0)
            script(connection)
