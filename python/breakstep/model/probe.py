"""What the user asked to be sampled on the server."""

from dataclasses import dataclass
from typing import Literal

ProbeKind = Literal[
    "agent",
    "auto",
    "cgroup",
    "command",
    "go",
    "haproxy",
    "host",
    "json",
    "listen",
    "nginx",
    "node",
    "pgbouncer",
    "php-fpm",
    "postgres",
    "process",
    "prometheus",
    "redis",
]


@dataclass(frozen=True, slots=True)
class ProbeSpec:
    """One probe. `label` names its signals and carries no secret; `where` may carry one.

    `options` may hold a name more than once.
    """

    kind: ProbeKind
    where: str
    label: str
    every_ns: int = 500_000_000
    options: tuple[tuple[str, str], ...] = ()

    def option(self, name: str) -> str | None:
        """The first value of an option, or None."""
        return next(iter(self.values(name)), None)

    def values(self, name: str) -> tuple[str, ...]:
        """Every value of an option, as given."""
        return tuple(value for key, value in self.options if key == name)


@dataclass(frozen=True, slots=True)
class ProbeState:
    """How a probe fared. `says` is its last trouble, or what its source cannot tell, or None.

    `silent_s` is the time since it last delivered, None if it never did.
    """

    label: str
    kind: ProbeKind
    samples: int
    failures: int
    silent_s: float | None
    says: str | None
