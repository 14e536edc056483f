"""`report.html` of a gate."""

from breakstep.model.record import Result
from breakstep.model.units import format_rate
from breakstep.report.check import headline
from breakstep.report.conclusion import rule, warnings
from breakstep.report.page import Figure, Head, Material, Section, Values, render_page
from breakstep.report.sections.criteria import blocks, criteria
from breakstep.report.sections.depends import depends
from breakstep.report.sections.diagnosis import diagnosis
from breakstep.report.sections.environment import environment
from breakstep.report.sections.heat import heat
from breakstep.report.sections.ledger import ledger
from breakstep.report.sections.signals import signals
from breakstep.report.sections.steps import steps
from breakstep.report.sections.trust import trust
from breakstep.store.check_json import gate_of
from breakstep.store.recorded import Recorded


def _judged_steps(material: Material) -> Values | None:
    """The blocks of a comparison are no steps: none is judged by itself."""
    return None if gate_of(material.result).comparison is not None else steps(material)


SECTIONS = (
    Section("criteria", "The criteria", criteria),
    Section("blocks", "The blocks", blocks),
    Section("steps", "Steps", _judged_steps),
    Section("heat", "Response time over time", heat),
    Section("ledger", "What became of every arrival", ledger),
    Section("signals", "The server meanwhile", signals),
    Section("diagnosis", "What broke first", diagnosis),
    Section("trust", "Can it be trusted", trust),
    Section("depends", "What the answer depends on", depends),
    Section("environment", "Environment, and how to reproduce", environment),
)


def render_check_html(result: Result, recorded: Recorded) -> str:
    """The page. `result.plan` must be redacted already: all of it is shown."""
    gate = gate_of(result)
    figures = [
        Figure("Verdict", gate.verdict),
        Figure("Offered", f"{format_rate(gate.offered_per_s)}/s"),
    ]
    sentences = [f"Remedy: {gate.remedy}."] if gate.remedy is not None else []
    if gate.comparison is None and (said := rule(result.steps)):
        sentences.append(said)
    head = Head(headline(result), figures, sentences, warnings(result))
    return render_page(head, SECTIONS, Material(result, recorded))
