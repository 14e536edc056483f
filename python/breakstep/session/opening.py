"""What is said before any load."""

from breakstep.analysis.effort import forecast
from breakstep.engine.contact import Contact
from breakstep.model.plan import Plan, Search
from breakstep.model.units import format_duration, format_rate
from breakstep.plan.redact import redact_url
from breakstep.session.contact import guess


def opening(plan: Plan, contact: Contact, *, assumed: bool) -> str:
    """The target, the SLOs and what the search will take; `assumed` SLOs are said to be."""
    target = plan.target
    where = target.unix_socket or ", ".join(target.addresses[:1])
    more = f" (of {len(target.addresses)})" if len(target.addresses) > 1 else ""
    fast = "" if contact.median_ns is None else f", {format_duration(contact.median_ns)} unloaded"
    slos = ", ".join(str(slo) for slo in plan.slos)
    note = " (assumed: name your own with --slo)" if assumed else ""
    return (
        f"target {plan.scenarios[0].method} {redact_url(target.url)} at {where}{more}{fast}\n"
        f"SLO    {slos}{note}{_outlook(plan, contact)}"
    )


def _outlook(plan: Plan, contact: Contact) -> str:
    """What the search will take, said before any load."""
    if plan.predict_only or not isinstance(plan.load, Search):
        return ""
    guessed = guess(plan, contact)
    near = format_rate(guessed.knee_per_s)
    runs = f"; {plan.repeat} such runs" if plan.repeat > 1 else ""
    return f"\nsearch {forecast(plan.load, guessed)}, if it breaks near {near}/s{runs}"
