"""`redis:HOST:PORT`: what Redis, or Valkey, says of itself under INFO.

Its one thread answers between two commands: a read takes as long as the command before it.
"""

import os
import re
import socket
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from threading import Lock
from urllib.parse import SplitResult, unquote, urlsplit

from breakstep.model.errors import ProbeError
from breakstep.model.printable import printable
from breakstep.model.probe import ProbeSpec
from breakstep.plan.redact import REDACTED
from breakstep.probe.options import timeout_s
from breakstep.probe.reading import Reading
from breakstep.probe.resp import Refused, command, receive
from breakstep.probe.stream import Address, Stream, connect

PORT = 6379
PASSWORD_VARIABLE = "REDISCLI_AUTH"  # noqa: S105  the name that redis-cli reads it from
_COUNTERS: Mapping[str, str] = {
    "hits": "keyspace_hits",
    "misses": "keyspace_misses",
    "evicted": "evicted_keys",
    "rejected_connections": "rejected_connections",
}
_REMEDIES: Mapping[str, str] = {
    "NOAUTH": f"give password=… or set {PASSWORD_VARIABLE}",
    "WRONGPASS": "is the password right?",
    "NOPERM": "let this user run INFO: ACL SETUSER … +info",
    "DENIED": "give the server a password, or run the probe on its machine",
}


_NONE_NEEDED = re.compile(r"no password is set|without any password")


class Redis:
    """One connection, kept from the start: a server at its limit takes no more."""

    def __init__(self, address: Address, login: Sequence[str], timeout_s: float) -> None:
        self._address = address
        self._login = login
        self._timeout_s = timeout_s
        self._asked = 0
        self._lock = Lock()
        self._socket: socket.socket | None = None
        self._closed = False

    def read(self) -> Sequence[Reading]:
        """Everything now."""
        try:
            info = parse_info(self._info())
        except (OSError, ValueError, Refused) as error:
            self._drop()
            raise ProbeError(self._says(error)) from None
        return readings(info, asked=self._asked)

    def close(self) -> None:
        """Cuts the connection, under a read too."""
        with self._lock:
            self._closed = True
        self._drop()

    def _info(self) -> str:
        deadline_s = time.monotonic() + self._timeout_s
        if self._socket is None:
            self._connect(deadline_s)
        return self._ask(deadline_s, "INFO")

    def _connect(self, deadline_s: float) -> None:
        opened = connect(self._address, self._timeout_s)
        with self._lock:
            if self._closed:
                opened.close()
                raise ProbeError("the probe was closed")
            self._socket = opened
        if self._login:
            self._log_in(deadline_s)

    def _log_in(self, deadline_s: float) -> None:
        try:
            self._ask(deadline_s, "AUTH", *self._login)
        except Refused as error:
            # A server without a password refuses one, and answers all the same.
            if not _NONE_NEEDED.search(str(error)):
                raise

    def _ask(self, deadline_s: float, *words: str) -> str:
        connected = self._socket
        if connected is None:
            raise ConnectionResetError("the connection was closed")
        stream = Stream(connected, deadline_s)
        stream.sendall(command(*words))
        reply = receive(stream)
        self._asked += 1
        return reply

    def _drop(self) -> None:
        with self._lock:
            dropped, self._socket = self._socket, None
        if dropped is not None:
            # A read that waits in another thread wakes up from the shutdown alone.
            with suppress(OSError):
                dropped.shutdown(socket.SHUT_RDWR)
            dropped.close()

    def _says(self, error: Exception) -> str:
        if isinstance(error, Refused):
            text = printable(str(error))
            for secret in self._login[-1:]:
                text = text.replace(secret, REDACTED)
            remedy = _REMEDIES.get(text.partition(" ")[0])
            return f"it answers {text}" + (f": {remedy}" if remedy else "")
        if isinstance(error, TimeoutError):
            return f"no answer within {self._timeout_s:g} s: its one thread is busy, or it hangs"
        if isinstance(error, OSError):
            return f"no connection ({error.strerror or error}): is Redis running there?"
        return "what answers there does not speak as Redis does"


def open_probe(spec: ProbeSpec) -> Redis:
    """Connects and asks once. Raises ProbeError."""
    address, login = locate(spec, os.environ)
    redis = Redis(address, login, timeout_s(spec))
    redis.read()
    return redis


def locate(spec: ProbeSpec, environment: Mapping[str, str]) -> tuple[Address, Sequence[str]]:
    """Where it is, and the words that follow AUTH, if any. Raises ProbeError."""
    password = spec.option("password") or environment.get(PASSWORD_VARIABLE)
    if spec.where.startswith("/"):
        return spec.where, (password,) if password else ()
    parts = _parts(spec.where)
    user = unquote(parts.username or "")
    if parts.password:
        password = unquote(parts.password)
    login = (user, password) if user and password else (password,) if password else ()
    return (parts.hostname or "", parts.port or PORT), login


def parse_info(text: str) -> Mapping[str, float]:
    """The fields of INFO that are numbers. Raises ValueError if it is no INFO at all."""
    fields: dict[str, float] = {}
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        with suppress(ValueError):
            fields |= {name: float(value)} if colon else {}
    if "total_commands_processed" not in fields:
        raise ValueError("no INFO")
    return fields


def readings(info: Mapping[str, float], *, asked: int = 0) -> list[Reading]:
    """The signals. The probe's own connection and its `asked` commands are taken off."""
    # Of the main thread, which does the commands; old versions tell only of all threads together.
    cpu = _sum(info, "used_cpu_user_main_thread", "used_cpu_sys_main_thread")
    cpu = _sum(info, "used_cpu_user", "used_cpu_sys") if cpu is None else cpu
    found = (
        _counter("operations", info["total_commands_processed"] - asked),
        _gauge("clients", "count", info.get("connected_clients"), own=1),
        _gauge("clients_blocked", "count", info.get("blocked_clients")),
        _gauge("clients_limit", "count", info.get("maxclients"), own=1),
        _counter("cpu", cpu, "cores"),
        _gauge("memory", "bytes", info.get("used_memory")),
        # 0 means no limit.
        _gauge("memory_limit", "bytes", info.get("maxmemory") or None),
        *(_counter(name, info.get(field)) for name, field in _COUNTERS.items()),
    )
    return [reading for reading in found if reading is not None]


def _parts(where: str) -> SplitResult:
    try:
        parts = urlsplit(where if "://" in where else f"redis://{where}")
        usable = parts.scheme == "redis" and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ProbeError("write redis:HOST:PORT or redis:/PATH/OF/ITS/SOCKET; TLS is not spoken")
    return parts


def _counter(name: str, value: float | None, unit: str = "1/s") -> Reading | None:
    return None if value is None else Reading(name, unit, value, counter=True)


def _gauge(name: str, unit: str, value: float | None, own: int = 0) -> Reading | None:
    return None if value is None else Reading(name, unit, value - own)


def _sum(info: Mapping[str, float], *names: str) -> float | None:
    return sum(info[name] for name in names) if all(name in info for name in names) else None
