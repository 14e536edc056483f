"""A result as a record of a decision, in Markdown: context, decision, consequences, when again.

It decides no more than was measured: where no load was found to hold, it says that nothing can be
decided, and what to do.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from breakstep.model.finding import Finding, FindingKind
from breakstep.model.record import Result
from breakstep.model.units import format_rate
from breakstep.report.conclusion import rule, warnings
from breakstep.report.finding import finding_of
from breakstep.report.markup import listed, plain
from breakstep.report.plan import headline
from breakstep.report.planned import planned
from breakstep.report.told import answered, is_search
from breakstep.store.check_json import SECTION, gate_of

MACHINE = ("machine", "cpu", "cores", "kernel", "breakstep")
DAY = 10
NONE = "None but those of the decision."
AGAIN: Mapping[FindingKind, str] = {
    "connection_pool": "The size of a connection pool, or the number of processes, is changed.",
    "io_workers": "The number of workers is changed, or what they wait for gets slower.",
    "cpu_workers": "The CPU quota, the number of workers or the size of the machine is changed.",
    "event_loop": "Code that blocks the event loop is changed, or processes are added.",
    "database_cpu": "The database is moved or resized, an index or a hot query is changed.",
    "backlog_overflow": "The listen backlog or the number of accepting processes is changed.",
    "config_error": "The setting that fails requests at every load is corrected.",
    "congestion_collapse": "Timeouts, retries or queue limits are changed.",
    "garbage_collection": "The heap limit or the runtime is changed.",
}


def adr(result: Result) -> str:
    """The record."""
    parts = [
        f"# {_title(result)}",
        f"Status: proposed\nDate: {_date(result)}\nRun: {plain(result.id)}",
        f"## Context\n\n{listed(_context(result))}",
        f"## Decision\n\n{listed(_decision(result))}",
        f"## Consequences\n\n{listed(_consequences(result)) or NONE}",
        f"## Measure again when\n\n{listed(_again(result))}",
    ]
    return "\n\n".join(parts) + "\n"


def _title(result: Result) -> str:
    held, where = result.answer.sustainable_per_s, plain(_url(result))
    if held is None or not is_search(result):
        return f"The load of {where}"
    return f"{where} is planned for at most {format_rate(held)}/s"


def _date(result: Result) -> str:
    return plain(str(result.environment.get("started_at", "unknown"))[:DAY])


def _url(result: Result) -> str:
    return str(_inside(result.plan, "target").get("url", "an unknown target"))


def _inside(mapping: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = mapping.get(name)
    return found if isinstance(found, Mapping) else {}


def _context(result: Result) -> Iterator[str]:
    plan, environment = result.plan, result.environment
    yield f"breakstep {result.command} offered load to {_url(result)}{_model(result)}."
    if slos := plan.get("slos"):
        yield f"Objectives: {', '.join(map(str, slos))}."
    if is_search(result) and (said := rule(result.steps)):
        yield said
    machine = [f"{name} {environment[name]}" for name in MACHINE if environment.get(name)]
    if machine:
        yield f"Generator: {', '.join(machine)}."
    yield f"Trust in the measurement: {result.trust.verdict}."


def _model(result: Result) -> str:
    """What the load did when the service got slow."""
    if not is_search(result) and SECTION not in result.sections:
        return ""
    law = result.plan.get("arrivals", "unknown")
    return f" as an open model: arrivals ({law}) follow a schedule, whatever the service does"


def _decision(result: Result) -> Iterator[str]:
    yield answered(result)
    if SECTION in result.sections:
        yield from _gated(result)
    if not is_search(result):
        return
    held = result.answer.sustainable_per_s
    if result.answer.status == "found" and held is not None:
        yield f"One instance is planned for at most {format_rate(held)}/s, the highest that held."
    elif result.answer.status == "above_ceiling" and held is not None:
        yield f"One instance may be planned for {format_rate(held)}/s; it breaks beyond that."
    else:
        yield "No capacity is decided on: this run found no load that surely holds."
    if (plan := planned(result)) is not None:
        yield headline(plan)


def _gated(result: Result) -> Iterator[str]:
    accepted = {"pass": "The change may go out.", "fail": "The change is not to go out as it is."}
    verdict = gate_of(result).verdict
    yield accepted.get(verdict, "Nothing is decided: the gate gave no answer, and is run again.")


def _consequences(result: Result) -> Iterator[str]:
    finding, broken = finding_of(result), result.answer.broken_per_s
    if broken is not None:
        yield f"At {format_rate(broken)}/s an objective is missed: users notice there."
    if finding is not None and finding.kind != "not_observed":
        yield f"What breaks first: {finding.says} (confidence: {finding.confidence})"
        if finding.remedy:
            yield f"More load needs this first: {finding.remedy}"
    elif broken is not None:
        yield "What breaks first was not observed: more instances may or may not carry more load."
    yield from result.answer.caveats
    yield from (f"{says}." for says in warnings(result))


def _again(result: Result) -> Sequence[str]:
    finding = finding_of(result)
    return [
        *_of_finding(finding),
        "The code on the path of this request, its dependencies or its runtime change in earnest.",
        "The machine, its limits or its neighbours change.",
        "The objectives or the mix of requests change.",
        *_of_doubt(result),
    ]


def _of_finding(finding: Finding | None) -> list[str]:
    known = finding is not None and finding.kind in AGAIN
    return [AGAIN[finding.kind]] if finding is not None and known else []


def _of_doubt(result: Result) -> list[str]:
    doubts = []
    if result.trust.verdict != "trusted":
        doubts.append("A quieter generator is to be had: this measurement was not undisturbed.")
    if len(result.runs) == 1 and is_search(result):
        doubts.append("There is time for --repeat 3: a single run does not show how runs differ.")
    return doubts
