"""`report.html` of a search for the breaking point."""

from breakstep.model.record import Answer, Result
from breakstep.model.units import format_rate
from breakstep.report.bounded import bounded
from breakstep.report.conclusion import headline, rule, warnings
from breakstep.report.finding import finding_of
from breakstep.report.page import Figure, Head, Material, Section, render_page
from breakstep.report.page_text import fit
from breakstep.report.sections.capacity_plan import capacity_plan
from breakstep.report.sections.curve import curve
from breakstep.report.sections.depends import depends
from breakstep.report.sections.diagnosis import diagnosis
from breakstep.report.sections.environment import environment
from breakstep.report.sections.heat import heat
from breakstep.report.sections.ledger import ledger
from breakstep.report.sections.repeats import repeats
from breakstep.report.sections.requests import requests
from breakstep.report.sections.seconds import seconds
from breakstep.report.sections.signals import signals
from breakstep.report.sections.steps import steps
from breakstep.report.sections.trust import trust
from breakstep.store.recorded import Recorded

RESOURCE_MAX = 60
_NOT_THE_SERVICE = frozenset({"generator", "host_noise"})
SECTIONS = (
    Section("curve", "The curve", curve),
    Section("steps", "Steps", steps),
    Section("requests", "The requests of the mix", requests),
    Section("heat", "Response time over time", heat),
    Section("ledger", "What became of every arrival", ledger),
    Section("signals", "The server meanwhile", signals),
    Section("diagnosis", "What broke first", diagnosis),
    Section("trust", "Can it be trusted", trust),
    Section("depends", "What the answer depends on", depends),
    Section("repeats", "Repeats", repeats),
    Section("seconds", "The seconds around the break", seconds),
    Section("capacity_plan", "Capacity plan", capacity_plan),
    Section("environment", "Environment, and how to reproduce", environment),
)


def render_html(result: Result, recorded: Recorded | None = None) -> str:
    """The page. `result.plan` must be redacted already: all of it is shown."""
    result = bounded(result)
    head = Head(
        headline=headline(result),
        figures=_figures(result),
        sentences=_sentences(result),
        warnings=warnings(result),
    )
    return render_page(head, SECTIONS, Material(result, recorded or Recorded()))


def _sentences(result: Result) -> list[str]:
    finding = finding_of(result)
    broke = "" if finding is None or finding.kind == "not_observed" else finding.says
    return [sentence for sentence in (broke, rule(result.steps)) if sentence]


def _figures(result: Result) -> list[Figure]:
    answer = result.answer
    rates = (
        Figure("Held", _rate(answer.sustainable_per_s), "with every lower rate"),
        Figure("Broke at", _rate(answer.broken_per_s), "the lowest that failed"),
        Figure("Breaking rate", _rate(answer.knee_per_s), _interval(answer)),
    )
    known = [figure for figure in rates if figure.value]
    return [*known, *_broke_first(result), _trust(result)]


def _rate(rate_per_s: float | None) -> str:
    return "" if rate_per_s is None else f"{format_rate(rate_per_s)}/s"


def _interval(answer: Answer) -> str:
    if answer.knee_interval_per_s is None:
        return ""
    low, high = answer.knee_interval_per_s
    return f"{_rate(low)} to {_rate(high)}"


def _broke_first(result: Result) -> list[Figure]:
    finding = finding_of(result)
    if finding is None or finding.kind == "not_observed":
        return []
    name = finding.kind.replace("_", " ")
    resource = "" if finding.resource is None else f"{fit(finding.resource, RESOURCE_MAX)}, "
    what = "Limited by" if finding.kind in _NOT_THE_SERVICE else "Broke first"
    return [Figure(what, name, f"{resource}confidence {finding.confidence}")]


def _trust(result: Result) -> Figure:
    breached = len(warnings(result))
    checks = f"{breached} of {len(result.trust.checks)} checks breached"
    return Figure("Measurement", result.trust.verdict, checks if breached else "every check held")
