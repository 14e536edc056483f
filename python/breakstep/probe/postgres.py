"""`postgres:DSN`: what PostgreSQL's sessions are doing, over a connection kept from the start."""

from collections.abc import Mapping, Sequence

from breakstep.model.errors import ProbeError
from breakstep.model.printable import printable
from breakstep.model.probe import ProbeSpec
from breakstep.probe.libpq import Row, Session, check_dsn, number
from breakstep.probe.postgres_cpu import LocalServer, find_server
from breakstep.probe.reading import Reading

_SETTINGS: Mapping[str, str] = {
    "statement_timeout": "1000",
    "lock_timeout": "1000",
    "default_transaction_read_only": "on",
}

# Of a session that this user may not look into, everything but its user and database is NULL; the
# server's own processes lack one of the two.
_ACTIVITY = """
SELECT
  count(*) AS connections,
  count(*) FILTER (WHERE backend_type IS NULL OR state = 'disabled') AS hidden,
  count(*) FILTER (WHERE running) AS active,
  count(*) FILTER (WHERE state = 'idle') AS idle,
  count(*) FILTER (WHERE state LIKE 'idle in transaction%') AS idle_in_transaction,
  count(*) FILTER (WHERE running AND wait_event_type = 'Lock') AS waiting_lock,
  count(*) FILTER (WHERE running AND wait_event_type = 'IO') AS waiting_io,
  count(*) FILTER (WHERE running AND wait_event_type NOT IN ('Lock', 'IO')) AS waiting_other,
  extract(epoch FROM clock_timestamp() - min(query_start) FILTER (WHERE running)) AS longest_query,
  (SELECT count(*) FROM pg_locks WHERE NOT granted) AS locks_waiting,
  (SELECT sum(xact_commit) + sum(xact_rollback) FROM pg_stat_database) AS transactions,
  (SELECT sum(xact_rollback) FROM pg_stat_database) AS rollbacks,
  current_setting('max_connections')::int
    - current_setting('superuser_reserved_connections')::int
    - coalesce(current_setting('reserved_connections', true)::int, 0) AS max_connections
FROM (
  SELECT *, state IN ('active', 'fastpath function call') AS running
  FROM pg_stat_activity
  WHERE pid <> pg_backend_pid()
    AND (
      backend_type = 'client backend'
      OR backend_type IS NULL AND usesysid IS NOT NULL AND datid IS NOT NULL
    )
) AS sessions
"""

_SELF = """
SELECT
  pg_backend_pid() AS pid,
  extract(epoch FROM backend_start) AS started,
  current_user AS name,
  pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') AS sees_all,
  current_setting('track_activities') AS tracked
FROM pg_stat_activity WHERE pid = pg_backend_pid()
"""

_STATES = (
    "active",
    "idle",
    "idle_in_transaction",
    "waiting_lock",
    "waiting_io",
    "waiting_other",
)


class Postgres:
    """One server. States of sessions are left out while some of them are hidden from this user."""

    remark: str | None = None

    def __init__(self, session: Session) -> None:
        self._session = session
        self._server: LocalServer | None = None
        self._seen = 0

    def read(self) -> Sequence[Reading]:
        """Everything now."""
        row = self._one(_ACTIVITY)
        if self._session.opened != self._seen:
            self._look()
        cpu_s = None if self._server is None else self._server.cpu_s()
        cpu = [] if cpu_s is None else [Reading("cpu", "cores", cpu_s, counter=True)]
        return [*readings(row), *cpu]

    def close(self) -> None:
        """Ends the session."""
        self._session.close()

    def _look(self) -> None:
        found = self._one(_SELF)
        pid, started_s = number(found, "pid"), number(found, "started")
        self.remark = remark(found)
        self._server = find_server(int(pid or 0), started_s or 0.0)
        self._seen = self._session.opened

    def _one(self, query: str) -> Row:
        rows = self._session.ask(query)[0]
        if len(rows) != 1:
            raise ProbeError("what answers there is not PostgreSQL")
        return rows[0]


def open_probe(spec: ProbeSpec) -> Postgres:
    """Connects and looks once. Raises ProbeError."""
    check_dsn(spec.where)
    probe = Postgres(Session(spec.where, "PostgreSQL", _SETTINGS))
    try:
        probe.read()
    except BaseException:
        probe.close()
        raise
    return probe


def readings(row: Row) -> list[Reading]:
    """The signals of a row of activity."""
    found = [
        ("connections", "count", number(row, "connections")),
        # The probe holds one that nobody else can have.
        ("max_connections", "count", (number(row, "max_connections") or 0.0) - 1.0),
        ("locks_waiting", "count", number(row, "locks_waiting")),
    ]
    if not number(row, "hidden"):
        found += [(name, "count", number(row, name)) for name in _STATES]
        found += [("longest_query", "s", max(0.0, number(row, "longest_query") or 0.0))]
    gauges = [Reading(name, unit, value) for name, unit, value in found if value is not None]
    counters = ((name, number(row, name)) for name in ("transactions", "rollbacks"))
    return gauges + [
        Reading(name, "1/s", value, counter=True) for name, value in counters if value is not None
    ]


def remark(found: Row) -> str | None:
    """What this session may not see of the others."""
    if found.get("tracked") == "off":
        return "track_activities is off: what sessions do is left out"
    if found.get("sees_all") == "t":
        return None
    user = printable(found.get("name") or "")
    return (
        "while other users have sessions, what sessions do is left out, for it is hidden from"
        f" {user}: GRANT pg_monitor TO {user}"
    )
