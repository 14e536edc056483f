"""A setting that fails the same share of requests at every load.

    failures    above 0 at the lowest load, and as likely at every load (analysis/homogeneity.py)
    one kind    nine in ten of them have one status, or one cause
    quick       nothing queues: only loads whose queue did not grow, and whose median is no more
                than three times that of the lightest

It needs no probe. With one load nothing can be said of others, and the finding says so. A database
that has reached its `max_connections` names the setting.
"""

from collections import Counter
from dataclasses import dataclass

from breakstep.analysis.homogeneity import Counted, alike, share_of_all
from breakstep.analysis.words import counted, percent
from breakstep.diagnosis.candidate import Candidate
from breakstep.diagnosis.evidence import fact, rate, row
from breakstep.diagnosis.observed import Observed
from breakstep.model.finding import Evidence
from breakstep.model.record import StepRecord

ONE_KIND = 0.9
"""Of all failures; a second kind may come in at the break."""
QUICK_RATIO = 3.0
"""Median response time against that of the lightest load."""
SHARE_MIN = 0.002
"""A share that few clients would call an error of configuration."""
FAILURES_MIN = 5
"""At the lightest load: fewer could be anything."""
CONNECTIONS_FULL = 0.95
"""Of `max_connections`: some are kept for the superuser."""
REMEDY = (
    "Read the error itself in the service's log and put the setting right (connection limits, "
    "credentials, routes); load does not matter."
)
EXPERIMENT = "offer a tenth of the load: the same share has to fail"


@dataclass(frozen=True, slots=True)
class _Failing:
    """What failed, over the calm loads."""

    steps: tuple[StepRecord, ...]
    what: str
    share_of_kind: float

    @property
    def counts(self) -> list[Counted]:
        """Failures by load."""
        return [Counted(s.offered_per_s, s.arrivals - s.ok, s.arrivals) for s in self.steps]


def config_error(observed: Observed) -> Candidate | None:
    """Whether the same share of requests fails at every load."""
    steps = _calm(observed)
    if not steps or not _fails_from_the_start(steps):
        return None
    failing = _failing(steps)
    share = share_of_all(failing.counts)
    if failing.share_of_kind < ONE_KIND or share < SHARE_MIN or not _breaks_it(observed):
        return None
    loads = sorted({step.offered_per_s for step in steps})
    if len(loads) > 1 and not alike(failing.counts):
        return None
    limit = _connection_limit(observed)
    return Candidate(
        kind="config_error",
        resource=limit[0].signal if limit else failing.what,
        weight="shown",
        says=_says(share, failing, loads),
        evidence=(*_rows(failing), *limit),
        remedy=_remedy(limit),
        experiment=EXPERIMENT,
        confidence="high" if len(loads) > 1 else "medium",
    )


def _calm(observed: Observed) -> tuple[StepRecord, ...]:
    """The steps in which nothing queued, by load."""
    steps = sorted((seen.step for seen in observed.valid), key=lambda step: step.offered_per_s)
    if not steps:
        return ()
    least = steps[0].response_ms.p50 or 0.0
    return tuple(
        step
        for step in steps
        if step.queue != "growing"
        and step.arrivals > 0
        and (step.response_ms.p50 or 0.0) <= QUICK_RATIO * least
    )


def _fails_from_the_start(steps: tuple[StepRecord, ...]) -> bool:
    lightest = [step for step in steps if step.offered_per_s == steps[0].offered_per_s]
    failed = sum(step.arrivals - step.ok for step in lightest)
    return failed >= FAILURES_MIN


def _breaks_it(observed: Observed) -> bool:
    """Whether an objective on errors or goodput is what was missed, or any at the lowest load."""
    broken = observed.broken
    if broken is None:
        return False
    missed = [c.slo for c in broken.verdict.criteria if c.verdict == "fail"]
    lowest = observed.answer.status == "below_floor"
    return lowest or not missed or any(slo.startswith(("errors", "goodput")) for slo in missed)


def _failing(steps: tuple[StepRecord, ...]) -> _Failing:
    kinds: Counter[str] = Counter()
    for step in steps:
        kinds.update(failures_by_kind(step))
    what, most = max(sorted(kinds.items()), key=lambda pair: pair[1])
    return _Failing(steps, what, most / max(1, sum(kinds.values())))


def failures_by_kind(step: StepRecord) -> dict[str, int]:
    """Failed arrivals by status, or where none came by cause, or else by outcome."""
    found = {f"status {s}": n for s, n in step.statuses.items() if s >= 400 and n}  # noqa: PLR2004
    others = {k: n for k, n in step.outcomes.items() if k not in ("ok", "http_error") and n}
    causes = {cause: n for cause, n in step.causes.items() if n}
    named = causes if sum(causes.values()) == sum(others.values()) else others
    merged = Counter(found)
    merged.update(named)
    return dict(merged) or {"failed": step.arrivals - step.ok}


def _says(share: float, failing: _Failing, loads: list[float]) -> str:
    if len(loads) == 1:
        return (
            f"{percent(share)} of requests failed with {failing.what} at the only load that was "
            "not queueing, and at once: a setting, unless a lower load does without."
        )
    return (
        f"{percent(share)} of requests failed with {failing.what}, the same share from "
        f"{rate(loads[0])} to {rate(loads[-1])}: a setting, not the load."
    )


def _rows(failing: _Failing) -> tuple[Evidence, ...]:
    return tuple(
        fact(
            "failed share",
            count.share,
            "share",
            step.index,
            f"{percent(count.share)} ({counted(count.failed)} of {counted(count.arrivals)}) at "
            f"{rate(count.per_s)}",
        )
        for count, step in zip(failing.counts, failing.steps, strict=True)
    )


def _connection_limit(observed: Observed) -> tuple[Evidence, ...]:
    """The database whose connections were all taken."""
    for used in observed.tracks("postgres", "connections", "max"):
        limit = observed.track(used.source, "max_connections")
        top = None if limit is None else used.over(limit).top(0.0)
        if limit is not None and top is not None and top.value >= CONNECTIONS_FULL:
            says = f"{percent(top.value)} of the connections it allows were taken"
            return (row(limit, limit.points[-1], says),)
    return ()


def _remedy(limit: tuple[Evidence, ...]) -> str:
    if not limit:
        return REMEDY
    return (
        "Let the service hold fewer connections than the database allows: fewer workers or a "
        "smaller pool, a pooler in front, or a higher max_connections."
    )
