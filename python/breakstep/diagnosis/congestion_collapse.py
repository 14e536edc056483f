"""More offered, less done: the service works on answers that nobody waits for any more.

    good      ok answers a second of the arrivals of a step; at a higher load at least 5 % fewer,
              with the bounds x ± 1.645·√(2x) of the counts apart
    given up  most of what failed there was given up on: timeouts, 503, 504, dropped
    work      and the server went on working: completions of any status, or a counter of the
              server's own (accepted, transactions, requests, CPU), stay ≥ 0.9 of their highest

    shown     a counter of the server's says so, or its own front answered in place of the work
    inferred  only the client's side was seen

√2 as in analysis/queue.py: what comes out of a queue strays more than independent counts.
"""

from dataclasses import dataclass
from math import sqrt

from breakstep.analysis.words import percent
from breakstep.diagnosis.candidate import Candidate
from breakstep.diagnosis.config_error import failures_by_kind
from breakstep.diagnosis.evidence import fact, rate, row, shown
from breakstep.diagnosis.observed import Observed
from breakstep.diagnosis.track import Track
from breakstep.model.finding import Evidence
from breakstep.model.record import StepRecord

FALL = 0.95
SURE = 1.645
STAYS = 0.90
GIVEN_UP_SHARE = 0.5
"""Of the failures."""
GIVEN_UP = frozenset({"timeout", "dropped", "status 503", "status 504", "status 499"})
CPU_WORTH = 0.05
"""Cores; less is no work that could have stayed."""
REMEDY = (
    "Refuse what cannot be answered in time: a shorter queue, a limit on rate or concurrency with "
    "503 at once, and work that is dropped when its client has gone."
)
EXPERIMENT = "limit the requests it accepts to what it carries: goodput has to stay level"
_COUNTERS = (
    ("php-fpm", "accepted"),
    ("postgres", "transactions"),
    ("redis", "operations"),
    ("process", "cpu"),
    ("cgroup", "cpu"),
)


@dataclass(frozen=True, slots=True)
class _Fall:
    """The best load and a higher one that did less."""

    best: StepRecord
    worse: StepRecord


def congestion_collapse(observed: Observed) -> Candidate | None:
    """Whether goodput fell while the work went on."""
    fall = _fall(observed)
    if fall is None or not _given_up(fall.worse):
        return None
    work = _work(observed, fall)
    answered = _answered(observed, fall.worse)
    if not work and not answered:
        return None
    before, after = _ok_per_s(fall.best), _ok_per_s(fall.worse)
    lost = 1.0 - after / before
    says = (
        f"Goodput fell from {rate(before)} to {rate(after)} when {rate(fall.worse.offered_per_s)} "
        f"were offered instead of {rate(fall.best.offered_per_s)}, while the service went on "
        "working: it works on requests that were given up."
    )
    told = f"{percent(lost)} less than at {rate(fall.best.offered_per_s)}, with more offered"
    return Candidate(
        kind="congestion_collapse",
        resource=work[0].signal.partition(" ")[0] if work else None,
        weight="shown" if work or _own_front(fall.worse) else "inferred",
        says=says,
        evidence=(fact("goodput", after, "1/s", fall.worse.index, told), *work, *answered),
        remedy=REMEDY,
        experiment=EXPERIMENT,
        confidence="high" if work else "medium",
    )


def _fall(observed: Observed) -> _Fall | None:
    """The load that did best, and the worst of those above it, if that is less beyond chance."""
    steps = sorted((seen.step for seen in observed.valid), key=lambda step: step.offered_per_s)
    steps = [step for step in steps if step.window_to > step.window_from and step.arrivals]
    if not steps:
        return None
    best = max(steps, key=_ok_per_s)
    above = [step for step in steps if step.offered_per_s > best.offered_per_s]
    worse = min(above, key=_ok_per_s, default=None)
    if worse is None or _ok_per_s(worse) > FALL * _ok_per_s(best):
        return None
    apart = _bound(worse, SURE) < _bound(best, -SURE)
    return _Fall(best, worse) if apart else None


def _ok_per_s(step: StepRecord) -> float:
    return step.ok / (step.window_to - step.window_from)


def _bound(step: StepRecord, sigmas: float) -> float:
    return (step.ok + sigmas * sqrt(2.0 * step.ok)) / (step.window_to - step.window_from)


def _given_up(step: StepRecord) -> bool:
    given_up = sum(n for kind, n in failures_by_kind(step).items() if kind in GIVEN_UP)
    given_up = max(given_up, step.outcomes.get("timeout", 0) + step.outcomes.get("dropped", 0))
    return given_up >= GIVEN_UP_SHARE * (step.arrivals - step.ok) > 0


def _own_front(step: StepRecord) -> bool:
    """Whether the service's own front answered in place of the work."""
    answered = sum(step.statuses.get(status, 0) for status in (503, 504))
    return answered >= GIVEN_UP_SHARE * (step.arrivals - step.ok)


def _work(observed: Observed, fall: _Fall) -> tuple[Evidence, ...]:
    """The server's own counters that did not fall with the goodput."""
    rows = []
    for kind, name in _COUNTERS:
        for track in observed.tracks(kind, name):
            if track.name == name:
                rows += _stayed(track, fall)
    return tuple(rows)


def _stayed(track: Track, fall: _Fall) -> list[Evidence]:
    most = max((point.value for point in track.points), default=0.0)
    there = track.at(fall.worse.offered_per_s)
    least = CPU_WORTH if track.unit == "cores" else 0.0
    if there is None or most <= least or there.value < STAYS * most:
        return []
    says = f"the work went on: its highest was {shown(most, track.unit)}"
    return [row(track, there, says)]


def _answered(observed: Observed, worse: StepRecord) -> tuple[Evidence, ...]:
    """Complete responses of any status, which stayed."""
    most = max(seen.step.completed_per_s for seen in observed.valid)
    if most <= 0.0 or worse.completed_per_s < STAYS * most:
        return ()
    ok = _ok_per_s(worse)
    waste = max(0.0, 1.0 - ok / worse.completed_per_s)
    says = (
        f"{rate(worse.completed_per_s)} were answered, {percent(waste)} of them in vain: "
        f"{', '.join(sorted(failures_by_kind(worse)))}"
    )
    return (fact("completed", worse.completed_per_s, "1/s", worse.index, says),)
