"""A connection to PostgreSQL, or to what speaks as it does, on which no wait is without end."""

import os
import time
from collections.abc import Mapping, Sequence
from fcntl import ioctl
from struct import pack, unpack
from termios import FIONREAD
from threading import Lock

from breakstep.model.errors import ProbeError
from breakstep.model.printable import printable
from breakstep.plan.redact import REDACTED
from breakstep.probe.options import TIMEOUT_S

try:
    import psycopg
    from psycopg.abc import RV, PQGen
    from psycopg.conninfo import conninfo_to_dict
except ImportError as missing:
    # This file is loaded when the first probe of its kind is opened.
    raise ProbeError(
        "psycopg is not installed, or finds no libpq: pip install 'breakstep[postgres]'"
    ) from missing

LIMIT_BYTES = 4_000_000
MESSAGE_MAX = 400
ROWS_MAX = 10_000
_LOOK_S = 0.1
_SECRETS = ("password", "sslpassword")
_REMEDIES: Mapping[str, str] = {
    "no password supplied": "set PGPASSWORD, or write the password file ~/.pgpass",
    "too many clients": "open the probe before the load, or leave it a connection",
    "slots are reserved": "open the probe before the load, or leave it a connection",
    "unsupported startup parameter": "is this PgBouncer? Give the address of PostgreSQL itself",
    'configuration parameter "pools"': "is this the console? End the DSN with /pgbouncer",
    '"backend_type" does not exist': "PostgreSQL 10 or newer is needed",
}

Row = Mapping[str, str | None]
"""Column to text, as the server sent it."""


class Connection(psycopg.Connection[tuple[object, ...]]):
    """psycopg's own, but for this: what waits on it ends at a deadline, and takes bounded bytes."""

    deadline_s = 0.0
    bytes_left = 0

    def allow(self, seconds: float) -> None:
        """How long everything until the next call of this may take."""
        self.deadline_s = time.monotonic() + seconds
        self.bytes_left = LIMIT_BYTES

    def wait(self, gen: PQGen[RV], interval: float = _LOOK_S, timeout: float | None = None) -> RV:
        """Raises TimeoutError, or ValueError for an answer beyond the limit."""
        del timeout  # psycopg 3.2 knows none
        return super().wait(self._bounded(gen), interval)

    def _bounded(self, gen: PQGen[RV]) -> PQGen[RV]:
        try:
            state = next(gen)
            while True:
                ready = yield state
                self._check()
                state = gen.send(ready)
        except StopIteration as done:
            value: RV = done.value
            return value

    def _check(self) -> None:
        if time.monotonic() >= self.deadline_s:
            raise TimeoutError
        (waiting,) = unpack("i", ioctl(self.fileno(), FIONREAD, pack("i", 0)))
        self.bytes_left -= waiting
        if self.bytes_left < 0:
            raise ValueError(f"sent more than {LIMIT_BYTES} bytes")


class Session:
    """One connection, opened when it is needed and kept until there is trouble with it.

    Settings are asked for while connecting. A SET would be quick to write, but behind a pooler it
    would stay with a connection that the service gets next.
    """

    def __init__(self, dsn: str, what: str, settings: Mapping[str, str] | None = None) -> None:
        self.opened = 0
        self._dsn = dsn
        self._what = what
        self._settings = settings or {}
        self._lock = Lock()
        self._connection: Connection | None = None
        self._closed = False

    def ask(self, *queries: str) -> list[list[Row]]:
        """The rows of each query. Raises ProbeError, having let go of the connection."""
        with self._lock:
            try:
                connection = self._connection or self._connect()
                connection.allow(TIMEOUT_S)
                return [_rows(connection, query) for query in queries]
            except (psycopg.Error, OSError, ValueError) as error:
                self._drop()
                raise ProbeError(self._says(error)) from None

    def close(self) -> None:
        """Lets go of the connection. Waits for a read that goes on, which is bounded."""
        self._closed = True
        with self._lock:
            self._drop()

    def _connect(self) -> Connection:
        if self._closed:
            raise ProbeError("the probe was closed")
        self._connection = connection = Connection.connect(
            self._dsn,
            autocommit=True,
            prepare_threshold=None,
            application_name="breakstep",
            connect_timeout=round(TIMEOUT_S),
            options=self._options(),
        )
        self.opened += 1
        return connection

    def _options(self) -> str | None:
        if not self._settings:
            return None
        given = conninfo_to_dict(self._dsn).get("options") or os.environ.get("PGOPTIONS", "")
        ours = (f"-c {name}={value}" for name, value in self._settings.items())
        return " ".join([str(given), *ours]).strip()

    def _drop(self) -> None:
        dropped, self._connection = self._connection, None
        if dropped is not None:
            dropped.close()

    def _says(self, error: Exception) -> str:
        if isinstance(error, TimeoutError | psycopg.errors.ConnectionTimeout):
            return f"{self._what} did not answer within {TIMEOUT_S:g} s"
        theirs = isinstance(error, psycopg.Error)
        text = " ".join((str(error) if theirs else f"{self._what} {error}").split())
        for secret in secrets(self._dsn, error):
            text = text.replace(secret, REDACTED)
        remedy = next((does for says, does in _REMEDIES.items() if says in text), None)
        return printable(text, MESSAGE_MAX) + (f": {remedy}" if remedy else "")


def check_dsn(dsn: str) -> None:
    """Raises ProbeError. What libpq says of a faulty one may hold the password: it is not shown."""
    try:
        conninfo_to_dict(dsn)
    except psycopg.Error:
        raise ProbeError(
            "the DSN cannot be read: write postgresql://USER@HOST:PORT/DATABASE, with characters"
            " such as @ : / % in a part as %40 %3A %2F %25, or 'host=HOST user=USER'"
        ) from None


def secrets(dsn: str, error: Exception) -> Sequence[str]:
    """What no message may show: passwords of the DSN, of the environment, of the password file."""
    parts = conninfo_to_dict(dsn)
    found = [str(parts.get(name) or "") for name in _SECRETS] + [os.environ.get("PGPASSWORD", "")]
    if isinstance(error, psycopg.Error) and error.pgconn is not None:
        found.append((error.pgconn.password or b"").decode(errors="replace"))
    return [secret for secret in found if secret]


def number(row: Row, name: str) -> float | None:
    """A column as a number, None for NULL or without it. Raises ProbeError."""
    text = row.get(name)
    try:
        return None if text is None else float(text)
    except ValueError:
        raise ProbeError(f"{name} is no number but {printable(text or '', 40)}") from None


def _rows(connection: Connection, query: str) -> list[Row]:
    with connection.execute(query.encode()) as cursor:
        result = cursor.pgresult
        if result is None:
            return []
        names = [_text(result.fname(column)) or "" for column in range(result.nfields)]
        return [
            {name: _text(result.get_value(row, at)) for at, name in enumerate(names)}
            for row in range(min(result.ntuples, ROWS_MAX))
        ]


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode("utf-8", "replace")
