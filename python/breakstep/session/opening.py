"""What is said before any load."""

from breakstep.analysis.effort import forecast
from breakstep.analysis.words import percent
from breakstep.engine.contact import Contact
from breakstep.model.plan import Plan, Search
from breakstep.model.units import format_duration, format_rate
from breakstep.plan.redact import redact_url
from breakstep.session.contact import guess

MIX_SHOWN = 8


def opening(plan: Plan, contact: Contact, *, assumed: bool) -> str:
    """The target, the SLOs and what the search will take; `assumed` SLOs are said to be."""
    target = plan.target
    where = target.unix_socket or ", ".join(target.addresses[:1])
    more = f" (of {len(target.addresses)})" if len(target.addresses) > 1 else ""
    fast = "" if contact.median_ns is None else f", {format_duration(contact.median_ns)} unloaded"
    slos = ", ".join(str(slo) for slo in plan.slos)
    note = " (assumed: name your own with --slo)" if assumed else ""
    return (
        f"target {asked_of(plan)} at {where}{more}{fast}\n"
        f"{_requests(plan)}SLO    {slos}{note}{_outlook(plan, contact)}"
    )


def asked_of(plan: Plan) -> str:
    """The URL, and how it is asked if it is asked one thing only."""
    url = redact_url(plan.target.url)
    return f"{plan.scenarios[0].method} {url}" if len(plan.scenarios) == 1 else url


def _requests(plan: Plan) -> str:
    """The mix, heaviest first as far as a reader follows; nothing for a single request."""
    if len(plan.scenarios) == 1:
        return ""
    heaviest = sorted(plan.scenarios, key=lambda one: -one.weight)
    total = sum(plan.weights)
    parts = [f"{percent(one.weight / total)} {one.name}" for one in heaviest[:MIX_SHOWN]]
    left = len(heaviest) - len(parts)
    more = f" and {left} more" if left else ""
    return f"mix    {', '.join(parts)}{more}\n"


def _outlook(plan: Plan, contact: Contact) -> str:
    """What the search will take, said before any load."""
    if plan.predict_only or not isinstance(plan.load, Search):
        return ""
    guessed = guess(plan, contact)
    near = format_rate(guessed.knee_per_s)
    runs = f"; {plan.repeat} such runs" if plan.repeat > 1 else ""
    return f"\nsearch {forecast(plan.load, guessed)}, if it breaks near {near}/s{runs}"
