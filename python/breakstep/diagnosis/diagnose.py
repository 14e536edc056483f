"""From what was observed to the finding: every hypothesis is tried, then they are ranked.

The order of HYPOTHESES is the decision table; each file says its own rule. Nothing is read but
`Observed`, so the same stored run is explained in the same words.
"""

from collections.abc import Callable, Sequence

from breakstep.diagnosis.backlog_overflow import backlog_overflow
from breakstep.diagnosis.candidate import Candidate
from breakstep.diagnosis.config_error import config_error
from breakstep.diagnosis.congestion_collapse import congestion_collapse
from breakstep.diagnosis.connection_pool import connection_pool
from breakstep.diagnosis.cpu_workers import cpu_workers
from breakstep.diagnosis.database_cpu import database_cpu
from breakstep.diagnosis.event_loop import event_loop
from breakstep.diagnosis.garbage_collection import garbage_collection
from breakstep.diagnosis.generator import generator
from breakstep.diagnosis.host_noise import host_noise
from breakstep.diagnosis.io_workers import io_workers
from breakstep.diagnosis.missing import missing
from breakstep.diagnosis.network import network
from breakstep.diagnosis.not_observed import not_observed
from breakstep.diagnosis.observed import Observed
from breakstep.diagnosis.ranking import (
    Ranked,
    alternatives,
    confidence,
    rank,
    symptom_rows,
)
from breakstep.model.finding import Alternative, Finding

Hypothesis = Callable[[Observed], Candidate | None]

OF_THE_MEASUREMENT: Sequence[Hypothesis] = (generator, host_noise)
"""What may be wrong although nothing broke."""
HYPOTHESES: Sequence[Hypothesis] = (
    *OF_THE_MEASUREMENT,
    config_error,
    backlog_overflow,
    garbage_collection,
    event_loop,
    database_cpu,
    connection_pool,
    cpu_workers,
    io_workers,
    congestion_collapse,
    network,
)


def diagnose(observed: Observed) -> Finding:
    """What saturated first, with the numbers that show it and what else it may have been."""
    tried = HYPOTHESES if observed.break_per_s is not None else OF_THE_MEASUREMENT
    candidates = [found for try_ in tried if (found := try_(observed)) is not None]
    ranked = rank(candidates)
    if ranked is None:
        return not_observed(observed, _possible(candidates))
    return _finding(observed, ranked)


def _finding(observed: Observed, ranked: Ranked) -> Finding:
    leader = ranked.leader
    return Finding(
        kind=leader.kind,
        resource=leader.resource,
        confidence=confidence(observed, ranked),
        says=leader.says,
        evidence=(*leader.evidence, *symptom_rows(ranked)),
        alternatives=alternatives(ranked),
        missing=missing(observed),
        remedy=leader.remedy,
    )


def _possible(candidates: Sequence[Candidate]) -> tuple[Alternative, ...]:
    return tuple(Alternative(c.kind, c.resource, c.says, c.experiment) for c in candidates)
