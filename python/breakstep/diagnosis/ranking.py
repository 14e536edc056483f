"""From what may be true to what is said: which candidate is named, how surely, and its rivals.

1. Decision table. Of the candidates that signals show, the first in the order of HYPOTHESES
   (diagnose.py) leads.
2. Depth. A candidate is a symptom, and out, if another one is shown that makes it: a pool fills in
   front of a full database, a queue in front of a full loop. See SYMPTOMS.
3. Onset. If the queue of another rose at a lighter load, that one leads, and the first is a rival:
   "A or B".
4. Without any that is shown, the inferred ones in the same order, then the possible ones that were
   nearest to full; both with low confidence.

Confidence:

    high     shown, no rival, the resource full where it breaks, or forecast to be, and its queue
             rose no later than that
    medium   shown, no rival, one of the two
    low      a rival is left, or it was not shown, or the forecast speaks against it alone
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from breakstep.diagnosis.candidate import NEARLY, Candidate, forecast_agrees
from breakstep.diagnosis.observed import Observed
from breakstep.diagnosis.room import FULL
from breakstep.model.finding import Alternative, Confidence, Evidence, FindingKind

_ORDER: tuple[Confidence, ...] = ("low", "medium", "high")

_MEASURING: tuple[FindingKind, ...] = ("generator", "host_noise")
"""Their being shown is why there is no answer."""
_ANYWAY: frozenset[FindingKind] = frozenset({"congestion_collapse", "network"})
_IN_FRONT: frozenset[FindingKind] = _ANYWAY | {
    "connection_pool",
    "io_workers",
    "backlog_overflow",
}
SYMPTOMS: Mapping[FindingKind, frozenset[FindingKind]] = MappingProxyType(
    {
        "config_error": _ANYWAY,
        "backlog_overflow": _ANYWAY | {"io_workers"},
        "garbage_collection": _IN_FRONT | {"event_loop", "cpu_workers"},
        "event_loop": _IN_FRONT | {"cpu_workers"},
        "database_cpu": _IN_FRONT,
        "connection_pool": _ANYWAY | {"io_workers"},
        "cpu_workers": _IN_FRONT,
        "io_workers": _ANYWAY,
    }
)
"""What each makes happen in front of it. Full CPU holds connections and workers for longer."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """The candidate to name, what it made happen, its rivals and what else may be."""

    leader: Candidate
    symptoms: tuple[Candidate, ...]
    rivals: tuple[Candidate, ...]
    others: tuple[Candidate, ...]


def rank(candidates: Sequence[Candidate]) -> Ranked | None:
    """The leader among candidates in the order of the decision table; None without a likely one."""
    shown = [one for one in candidates if one.weight == "shown"]
    if not shown:
        return _unshown(candidates)
    symptoms = [one for one in shown if _is_symptom(one, shown)]
    left = [one for one in shown if one not in symptoms]
    first = left[0]
    leader = first if first.confidence == "high" else _earliest(left)
    rivals = [one for one in left if one is not leader and _could_be(leader, one)]
    rest = [one for one in candidates if one not in shown and one.kind not in _made_by(leader)]
    symptoms = [one for one in symptoms if one.kind in _made_by(leader)]
    if leader.confidence == "high":
        # What is sure on its own came first; the others were full later.
        return Ranked(leader, tuple(symptoms), (), (*rivals, *rest))
    return Ranked(leader, tuple(symptoms), tuple(rivals), tuple(rest))


def confidence(observed: Observed, ranked: Ranked) -> Confidence:
    """How sure the leader is."""
    leader = ranked.leader
    if leader.weight != "shown" or ranked.rivals:
        return "low"
    own = leader.confidence or _by_rules(observed, leader)
    settled = observed.answer.status in ("found", "below_floor") or leader.kind in _MEASURING
    return min(own, leader.at_most, "high" if settled else "medium", key=_ORDER.index)


def alternatives(ranked: Ranked) -> tuple[Alternative, ...]:
    """Rivals first, then what nothing speaks against."""
    return tuple(
        Alternative(one.kind, one.resource, one.says, one.experiment)
        for one in (*ranked.rivals, *ranked.others)
    )


def symptom_rows(ranked: Ranked) -> tuple[Evidence, ...]:
    """The first row of each symptom, said to be one."""
    return tuple(
        Evidence(row.signal, row.value, row.unit, row.step, f"{row.says}; a symptom")
        for one in ranked.symptoms
        for row in one.evidence[:1]
    )


def _unshown(candidates: Sequence[Candidate]) -> Ranked | None:
    inferred = [one for one in candidates if one.weight == "inferred"]
    near = sorted((one for one in candidates if _nearness(one) >= NEARLY), key=_by_nearness)
    ordered = [*inferred, *(one for one in near if one not in inferred)]
    if not ordered:
        return None
    leader = ordered[0]
    rest = [one for one in candidates if one is not leader]
    return Ranked(leader, (), (), tuple(rest))


def _nearness(one: Candidate) -> float:
    return 0.0 if one.saturation is None else one.saturation.peak.value


def _by_nearness(one: Candidate) -> float:
    return -_nearness(one)


def _is_symptom(one: Candidate, shown: Sequence[Candidate]) -> bool:
    return not one.broke_first and any(one.kind in _made_by(other) for other in shown)


def _made_by(one: Candidate) -> frozenset[FindingKind]:
    return SYMPTOMS.get(one.kind, frozenset())


def _could_be(leader: Candidate, one: Candidate) -> bool:
    """Not something that the leader, having been first, explains."""
    return one.kind not in _made_by(leader)


def _earliest(left: Sequence[Candidate]) -> Candidate:
    """The first of the table, unless the queue of another rose at a lighter load."""
    first = left[0]
    began = _onset(first)
    earlier = [one for one in left if began is not None and (_onset(one) or began) < began]
    return min(earlier, key=lambda one: _onset(one) or 0.0) if earlier else first


def _onset(one: Candidate) -> float | None:
    return None if one.saturation is None else one.saturation.onset_per_s


def _by_rules(observed: Observed, leader: Candidate) -> Confidence:
    """From where it is full, forecast and onset."""
    found = leader.saturation
    if found is None:
        return "medium"
    agrees = forecast_agrees(observed, found)
    full = found.peak.value >= FULL
    began, break_per_s = found.onset_per_s, observed.break_per_s
    in_time = began is not None and break_per_s is not None and began <= break_per_s
    if agrees is False and not in_time:
        return "low"
    return "high" if (full or agrees) and in_time and agrees is not False else "medium"
