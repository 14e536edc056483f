"""What a diagnosis says: the resource that saturated, why, and what else it may have been."""

from dataclasses import dataclass
from typing import Literal

FindingKind = Literal[
    "generator",
    "host_noise",
    "config_error",
    "backlog_overflow",
    "event_loop",
    "database_cpu",
    "connection_pool",
    "cpu_workers",
    "io_workers",
    "congestion_collapse",
    "garbage_collection",
    "slow_client",
    "network",
    "not_observed",
]
Confidence = Literal["high", "medium", "low"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """One number that speaks for a finding. `step` is the index of the step it was seen in."""

    signal: str
    value: float
    unit: str
    step: int | None
    says: str


@dataclass(frozen=True, slots=True)
class Alternative:
    """A rival that could not be excluded, and the experiment that would decide."""

    kind: FindingKind
    resource: str | None
    says: str
    experiment: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """The named bottleneck. `resource` is what saturated, such as `process:node (pid 41)`.

    `missing` are the signals that were not there; `remedy` is what usually helps.
    """

    kind: FindingKind
    resource: str | None
    confidence: Confidence
    says: str
    evidence: tuple[Evidence, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    missing: tuple[str, ...] = ()
    remedy: str | None = None
