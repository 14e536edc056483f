"""What a probed program does in a service, told by its name: a database, a proxy or the app."""

import re
from typing import Literal, get_args

from breakstep.diagnosis.observed import Observed
from breakstep.model.probe import ProbeKind
from breakstep.model.signal import label_of

Role = Literal["database", "proxy", "app", "generator"]

_DATABASE = re.compile(
    r"postgres|postmaster|mysqld|mariadbd|mongod|redis|valkey|memcached|cockroach|clickhouse",
    re.IGNORECASE,
)
_PROXY = re.compile(r"nginx|haproxy|envoy|caddy|traefik|pgbouncer|varnish", re.IGNORECASE)
_COLLECTED = re.compile(r"\b(?:python|java|ruby|dotnet|go|node|beam)", re.IGNORECASE)


def role_of(observed: Observed, source: str) -> Role:
    """By the label of the probe and the names of the processes under it.

    A label such as `db` says nothing; the busiest processes carry the program's name.
    """
    return role_named(" ".join((source, *program_names(observed, source))))


def role_named(text: str) -> Role:
    """By a text that holds a program's name.

    >>> role_named("process:postgres"), role_named("process:php-fpm8.2")
    ('database', 'app')
    """
    if _DATABASE.search(text):
        return "database"
    return "proxy" if _PROXY.search(text) else "app"


def machine_of(source: str) -> str:
    """The machine whose agent delivered a signal; empty where the probe ran beside the generator.

    >>> machine_of("web1/listen:8080"), machine_of("cgroup:/shop.slice"), machine_of("host")
    ('web1', '', '')
    """
    head, slash, _ = source.partition("/")
    own = not slash or head.partition(":")[0] in get_args(ProbeKind)
    return "" if own else head


def is_collected(text: str) -> bool:
    """Whether a program of this name usually runs on a garbage collector.

    >>> is_collected("python3-412"), is_collected("php-fpm-41")
    (True, False)
    """
    return _COLLECTED.search(text) is not None


def program_names(observed: Observed, source: str) -> tuple[str, ...]:
    """The names in `cpu{process=COMM-PID}` of a probe."""
    labels = (label_of(s.name) for s in observed.signals if s.source == source)
    found = (label.removeprefix("process=") for label in labels if label.startswith("process="))
    return tuple(found)
