"""What the first contact tells: whether the target answers, and what to assume of it."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import sqrt
from typing import cast

from breakstep._engine import Tally
from breakstep.analysis.effort import SEARCHES, Guess, forecast, warmup_ns, within_budget
from breakstep.analysis.looks import cannot_judge
from breakstep.engine.contact import Contact, ask_each
from breakstep.model.errors import TargetError
from breakstep.model.plan import Plan, Search
from breakstep.model.slo import Slo
from breakstep.model.units import NS_PER_MS, NS_PER_S
from breakstep.plan.redact import redact_url

ASSUMED_FACTOR = 10
ASSUMED_FLOOR_NS = 10 * NS_PER_MS
"""Below this a bound would be about the machine, not about the service."""
FIRST_RATE_MAX_PER_S = 200.0
UNANSWERED_MAX = 3
KNEE_GUESS = 5.0
"""Times the first load: most services work on a few requests at once."""
_BAD_REQUEST = 400
_TOO_MANY_REQUESTS = 429
_REMEDIES = {
    "connect": "is the service running, and is this its port?",
    "tls": "write http:// if the port is plain, --cacert FILE or --insecure for a test certificate",
    "protocol": "write https:// if this is a TLS port; is it an HTTP/1.1 server?",
    "reset": "write https:// if this is a TLS port; is it an HTTP/1.1 server?",
    "timeout": "the service took the request and gave no answer; is it that slow? raise --timeout",
    "dropped": "the service took no connection; raise --timeout if it is that slow",
}


def check_contact(plan: Plan, contact: Contact) -> None:
    """Raises TargetError when the target did not answer once, or refuses what is asked of it.

    What is refused of several requests was told by `check_each`.
    """
    tally, url = contact.tally, redact_url(plan.target.url)
    if tally.arrivals and not tally.statuses:
        raise TargetError(f"{url} {_unanswered(tally)}")
    if len(plan.scenarios) == 1 and contact.median_ns is None:
        refused = _refused(plan, tally)
        if refused is not None:
            raise TargetError(f"{plan.scenarios[0].method} {url} {refused}")


def check_each(plan: Plan, stopping: Callable[[], bool]) -> None:
    """Asks each of several requests once. Raises TargetError with a line for each that fails."""
    if len(plan.scenarios) > 1 and (faults := list(_faults_of_each(plan, stopping))):
        raise TargetError("\n".join(faults))


def _faults_of_each(plan: Plan, stopping: Callable[[], bool]) -> Iterator[str]:
    """After a few without any answer the others are not asked: each may take a whole timeout."""
    left = UNANSWERED_MAX
    for scenario, tally in ask_each(plan, stopping):
        if stopping():
            return
        url = redact_url((scenario.shown or scenario).path)
        if tally.statuses:
            if (refused := _refused(plan, tally)) is not None:
                yield f"{scenario.name}: {scenario.method} {url} {refused}"
            continue
        yield f"{scenario.name}: {url} {_unanswered(tally)}"
        left -= 1
        if left == 0:
            return


def assumed_slos(contact: Contact) -> tuple[Slo, ...]:
    """What is asked of a service when the user named nothing.

    p95 within ten times the unloaded median, errors below 1 %, goodput above 97 %.
    """
    others = (Slo("errors", share=0.01), Slo("goodput", share=0.97))
    if contact.median_ns is None:
        return others
    bound_ns = max(ASSUMED_FLOOR_NS, ASSUMED_FACTOR * contact.median_ns)
    # Whole milliseconds: a bound that people can say.
    bound_ns = round(bound_ns / NS_PER_MS) * NS_PER_MS
    return (Slo("latency", quantile=0.95, bound_ns=bound_ns), *others)


def settled_plan(plan: Plan, contact: Contact) -> Plan:
    """The plan with what only the first contact could tell: SLOs, and the effort in numbers."""
    judged = replace(plan, slos=plan.slos or assumed_slos(contact))
    load = plan.load
    if not isinstance(load, Search):
        return judged
    plan = replace(plan, warmup_ns=warmup_ns(plan.warmup_ns, contact.median_ns or 0))
    if load.budget_ns is None:
        chosen = SEARCHES[load.effort]
    else:
        chosen = within_budget(load.budget_ns, guess(plan, contact))
    found = replace(load, first_look=chosen.first_look, looks=chosen.looks, width=chosen.width)
    return replace(judged, load=found, warmup_ns=plan.warmup_ns)


def guess(plan: Plan, contact: Contact) -> Guess:
    """Where the breaking load may lie: between what is known and what is allowed."""
    load = cast("Search", plan.load)
    from_per_s = load.from_per_s or first_rate_per_s(contact)
    if load.to_per_s is not None:
        from_per_s = min(from_per_s, load.to_per_s)
        knee_per_s = sqrt(from_per_s * load.to_per_s)
    else:
        knee_per_s = KNEE_GUESS * from_per_s
    return Guess(from_per_s, knee_per_s, plan.warmup_ns, plan.hold_ns)


def load_ns(plan: Plan, contact: Contact) -> int:
    """About how long the loads of one run take."""
    if isinstance(plan.load, Search):
        return forecast(plan.load, guess(plan, contact)).duration_ns
    return len(plan.load.rates_per_s) * (plan.ramp_ns + plan.warmup_ns + plan.hold_ns)


def out_of_reach(plan: Plan, contact: Contact) -> tuple[str, ...]:
    """The SLOs that no step of this plan has the arrivals to judge, each with why."""
    if isinstance(plan.load, Search):
        rate_per_s = guess(plan, contact).knee_per_s
        longest_ns = plan.load.first_look * 2 ** (plan.load.looks - 1) / rate_per_s * NS_PER_S
    else:
        rate_per_s, longest_ns = plan.load.rates_per_s[-1], plan.hold_ns
    said = (
        cannot_judge(slo, rate_per_s * plan.share_of(slo.request), round(longest_ns))
        for slo in plan.slos
    )
    return tuple(text for text in said if text is not None)


def first_rate_per_s(contact: Contact) -> float:
    """Where a search starts: what one request at a time would reach, and never rudely much."""
    if not contact.median_ns:
        return 1.0
    return max(1.0, min(FIRST_RATE_MAX_PER_S, round(NS_PER_S / contact.median_ns)))


def _unanswered(tally: Tally) -> str:
    outcome = max(tally.outcomes, key=lambda name: tally.outcomes[name])
    cause = max(tally.causes, key=lambda name: tally.causes[name], default=outcome)
    return (
        f"cannot be measured: {cause} ({_first(tally.arrivals)}); "
        f"{_REMEDIES.get(outcome, 'see the cause')}"
    )


def _refused(plan: Plan, tally: Tally) -> str | None:
    status = _refusal(tally.statuses)
    if status is None:
        return None
    often = " every time" if tally.arrivals > 1 else ""
    return (
        f"is answered {status}{often}: "
        f"check the path, the method and the headers{_tls_hint(plan, status)}"
    )


def _first(requests: int) -> str:
    return "the first request" if requests == 1 else f"all of {requests} first requests"


def _tls_hint(plan: Plan, status: int) -> str:
    """Servers that notice plain text on their TLS port say 400."""
    hint = not plan.target.tls and status == _BAD_REQUEST
    return ", and write https:// if this is a TLS port" if hint else ""


def _refusal(statuses: dict[int, int]) -> int | None:
    """The one 4xx status that every answer had; 429 and 5xx may be the load's doing."""
    if len(statuses) != 1:
        return None
    (status,) = statuses
    return status if 400 <= status < 500 and status != _TOO_MANY_REQUESTS else None  # noqa: PLR2004
