"""A full accept queue: connections are refused or lost before any program sees them.

    shown      the kernel counted overflows, or a queue stood at its limit, or connecting to the
               target's own unix socket failed for it, or a proxy logged so
    inferred   connecting took 1, 3 or 7 s for some: the first packet was lost and sent again; or a
               proxy answered 502 at once where lighter loads had none

In front of a resource that is full the queue fills as well. It broke first only if the failures it
makes are more than the answers that came too late; without such failures, or connects that were
tried again, it is no more than possible.
"""

from breakstep.analysis.words import percent
from breakstep.diagnosis.candidate import Candidate, Weight
from breakstep.diagnosis.config_error import failures_by_kind
from breakstep.diagnosis.cpu import is_full
from breakstep.diagnosis.evidence import fact, rate, row
from breakstep.diagnosis.observed import Observed
from breakstep.model.finding import Evidence
from breakstep.model.record import StepRecord
from breakstep.model.signal import label_of

AT_LIMIT = 1.0
OVERFLOWS_SHARE = 0.001
"""Overflows to arrivals: the kernel counts for every listener of the machine."""
RETRIED_MS = ((900.0, 1_400.0), (2_800.0, 3_600.0), (6_800.0, 7_800.0))
"""A lost SYN is sent again after 1 s, then 2, then 4."""
BAD_GATEWAY = "status 502"
BAD_GATEWAY_SHARE = 0.5
"""Of the failures."""
REFUSED = frozenset({"connect", "status 502"})
GIVEN_UP = frozenset({"timeout", "dropped", "status 503", "status 504"})
"""What a connection that waits for ever ends in; a full CPU makes as many."""
_REFUSED = "the unix socket's backlog is full"
_LOGGED = ("temporarily unavailable", "EAGAIN", "backlog")
REMEDY = (
    "Raise the listener's backlog and net.core.somaxconn, or accept faster; refuse early (limit "
    "the rate in front) if the service cannot carry the load anyway."
)
EXPERIMENT = "double the backlog: the errors have to go, or to come at a higher load"


def backlog_overflow(observed: Observed) -> Candidate | None:
    """Whether connections were lost to a full accept queue."""
    broken = observed.broken
    if broken is None:
        return None
    told = (*_kernel(observed, broken), *_queues(observed), *_refused(broken), *_logged(observed))
    hinted = (*_retried(broken), *_bad_gateway(observed, broken))
    if not told and not hinted:
        return None
    weight: Weight = "shown" if told or _blind_pool_full(observed, hinted) else "inferred"
    first = _broke_first(broken, cpu_full=is_full(observed))
    if not first and not _retried(broken):
        weight = "possible"
    return Candidate(
        kind="backlog_overflow",
        resource=_resource(observed, told),
        weight=weight,
        says=_says(broken),
        evidence=(*told, *hinted),
        remedy=REMEDY,
        experiment=EXPERIMENT,
        broke_first=first,
        confidence="high" if told and first else "medium",
    )


def _kernel(observed: Observed, broken: StepRecord) -> tuple[Evidence, ...]:
    """Overflows that the kernel counted, once, whichever probe read them."""
    tracks = [t for kind in ("listen", "host") for t in observed.tracks(kind, "listen_overflows")]
    for track in tracks:
        top = track.top(broken.offered_per_s)
        if top is not None and top.value > OVERFLOWS_SHARE * top.per_s:
            says = "connections lost to a full accept queue"
            return (row(track, top, says),)
    return ()


def _queues(observed: Observed) -> tuple[Evidence, ...]:
    """Queues that stood at their limit."""
    rows: list[Evidence] = []
    names = (("listen", "accept_queue", "accept_queue_limit"), ("php-fpm", "queue", "queue_limit"))
    for kind, queue, limit in names:
        for track in observed.tracks(kind, queue, "max"):
            most = observed.track(track.source, limit)
            full = None if most is None else track.over(most).top(observed.break_per_s or 0.0)
            if full is not None and full.value >= AT_LIMIT:
                top = track.at(full.per_s)
                says = f"{percent(full.value)} of what the queue may hold"
                rows += [] if top is None else [row(track, top, says)]
    return tuple(rows)


def _refused(broken: StepRecord) -> tuple[Evidence, ...]:
    refused = broken.causes.get(_REFUSED, 0)
    if not refused or not broken.arrivals:
        return ()
    share = refused / broken.arrivals
    says = f"{percent(share)} of arrivals could not connect: {_REFUSED}"
    return (fact("connect failures", share, "share", broken.index, says),)


def _logged(observed: Observed) -> tuple[Evidence, ...]:
    """Errors a proxy wrote into its log when the socket behind it was full."""
    rows = []
    for track in observed.tracks("nginx", "errors", "max"):
        text = label_of(track.name).removeprefix("says=")
        top = track.top(observed.break_per_s or 0.0)
        if top is not None and top.value > 0.0 and any(word in text for word in _LOGGED):
            rows.append(row(track, top, f"the proxy logged: {text}"))
    return tuple(rows)


def _retried(broken: StepRecord) -> tuple[Evidence, ...]:
    """Connects whose tail lies where the kernel tries again."""
    tail = broken.connect_ms
    for name, value in (("p99", tail.p99), ("p99.9", tail.p99_9), ("max", tail.max)):
        if value is not None and any(low <= value <= high for low, high in RETRIED_MS):
            says = f"the {name} of connecting was {value / 1000.0:.2f} s: a lost SYN was sent again"
            return (fact(f"connect {name}", value, "ms", broken.index, says),)
    return ()


def _bad_gateway(observed: Observed, broken: StepRecord) -> tuple[Evidence, ...]:
    """502s that lighter loads did not have."""
    kinds = failures_by_kind(broken)
    refused, failed = kinds.get(BAD_GATEWAY, 0), broken.arrivals - broken.ok
    lightest = min(observed.valid, key=lambda seen: seen.step.offered_per_s).step
    calm = failures_by_kind(lightest).get(BAD_GATEWAY, 0)
    if not refused or refused < BAD_GATEWAY_SHARE * failed or lightest is broken or calm:
        return ()
    share = refused / broken.arrivals
    says = (
        f"{percent(share)} of answers at {rate(broken.offered_per_s)} were 502, none at "
        f"{rate(lightest.offered_per_s)}: the proxy could not reach the service behind it"
    )
    return (fact(BAD_GATEWAY, share, "share", broken.index, says),)


def _blind_pool_full(observed: Observed, hinted: tuple[Evidence, ...]) -> bool:
    """502s in front of a pool on a unix socket, whose own queue reads 0, with every worker busy."""
    if not any(found.signal == BAD_GATEWAY for found in hinted):
        return False
    for active in observed.tracks("php-fpm", "active"):
        workers = observed.track(active.source, "workers")
        limits = observed.track(active.source, "queue_limit", "max")
        full = None if workers is None else active.over(workers).top(observed.break_per_s or 0.0)
        blind = limits is not None and all(point.value == 0.0 for point in limits.points)
        if blind and full is not None and full.value >= _BUSY:
            return True
    return False


_BUSY = 0.8
"""Of the workers, on the mean of a window in which the queue overflowed now and then."""


def _resource(observed: Observed, told: tuple[Evidence, ...]) -> str:
    """The listener that overflowed, as far as the signals that told know it."""
    sources = (*observed.sources("listen"), *observed.sources("php-fpm"))
    named = (s for s in sources if any(found.signal.startswith(f"{s} ") for found in told))
    return " of ".join(("accept queue", *tuple(named)[:1]))


def _says(broken: StepRecord) -> str:
    failed = 1.0 - broken.ok / broken.arrivals if broken.arrivals else 0.0
    became = f"{percent(failed)} of requests failed" if failed else "had to be tried again"
    return (
        f"The accept queue overflowed at {rate(broken.offered_per_s)}: connections were turned "
        f"away before the service saw them, and {became}."
    )


def _broke_first(broken: StepRecord, *, cpu_full: bool) -> bool:
    """Whether the failures such an overflow makes outnumber the late answers."""
    length_s = broken.window_to - broken.window_from
    failed = sum(
        n for kind, n in failures_by_kind(broken).items() if _from_overflow(kind, cpu_full=cpu_full)
    )
    late = broken.ok - broken.goodput_per_s * length_s
    return failed > 0 and failed >= late


def _from_overflow(kind: str, *, cpu_full: bool) -> bool:
    at_once = kind in REFUSED or kind == _REFUSED or kind.startswith("connection")
    return at_once or (kind in GIVEN_UP and not cpu_full)
