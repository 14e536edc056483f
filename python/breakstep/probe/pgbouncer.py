"""`pgbouncer:DSN`: the pools of PgBouncer, over its admin console."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from breakstep.model.errors import ProbeError
from breakstep.model.probe import ProbeSpec
from breakstep.probe.libpq import Row, Session, check_dsn, number
from breakstep.probe.reading import Reading

CONSOLE = "pgbouncer"
REMEDY = f"is this the console? End the DSN with /{CONSOLE}"
_POOLS, _STATS, _DATABASES = "SHOW POOLS", "SHOW STATS", "SHOW DATABASES"


@dataclass(frozen=True, slots=True)
class PgBouncer:
    """One PgBouncer; its console is no pool and is left out."""

    session: Session

    def read(self) -> Sequence[Reading]:
        """Everything now."""
        pools, stats, databases = self.session.ask(_POOLS, _STATS, _DATABASES)
        if "cl_waiting" not in (pools[0] if pools else {}):
            raise ProbeError(f"no pools in what it answers: {REMEDY}")
        return readings(pools, stats, databases)

    def close(self) -> None:
        """Ends the session."""
        self.session.close()


def open_probe(spec: ProbeSpec) -> PgBouncer:
    """Connects and looks once. Raises ProbeError."""
    check_dsn(spec.where)
    probe = PgBouncer(Session(spec.where, "PgBouncer"))
    try:
        probe.read()
    except BaseException:
        probe.close()
        raise
    return probe


def readings(pools: Iterable[Row], stats: Iterable[Row], databases: Iterable[Row]) -> list[Reading]:
    """The signals: sums over all pools, and the longest wait of any."""
    pools = [pool for pool in pools if pool.get("database") != CONSOLE]
    stats = [row for row in stats if row.get("database") != CONSOLE]
    sizes = {row.get("name"): number(row, "pool_size") or 0.0 for row in databases}
    gauges = {
        "clients_active": _sum(pools, "cl_active"),
        "clients_waiting": _sum(pools, "cl_waiting"),
        "servers_active": _sum(pools, "sv_active"),
        # Used: idle for so long that it is looked at before it serves again.
        "servers_idle": _sum(pools, "sv_idle", "sv_used"),
        "pool_size": sum(sizes.get(pool.get("database"), 0.0) for pool in pools),
    }
    return [
        *(Reading(name, "count", value) for name, value in gauges.items()),
        Reading("wait_max", "s", max((_wait_s(pool) for pool in pools), default=0.0)),
        Reading("transactions", "1/s", _sum(stats, "total_xact_count"), counter=True),
        Reading("queries", "1/s", _sum(stats, "total_query_count"), counter=True),
    ]


def _sum(rows: Iterable[Row], *names: str) -> float:
    return sum(number(row, name) or 0.0 for row in rows for name in names)


def _wait_s(pool: Row) -> float:
    return (number(pool, "maxwait") or 0.0) + (number(pool, "maxwait_us") or 0.0) / 1e6
