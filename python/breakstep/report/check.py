"""What a gate says, in plain language: the verdict, each criterion, what to do."""

from breakstep.analysis.words import percent
from breakstep.model.check import Comparison, Gate, Side
from breakstep.model.record import Result, StepRecord, VerdictName
from breakstep.model.units import format_rate
from breakstep.report.columns import duration, errors_share, share
from breakstep.report.conclusion import warnings
from breakstep.report.finding import finding_of
from breakstep.report.why import finding_text
from breakstep.store.check_json import gate_of

WORDS: dict[VerdictName, str] = {
    "pass": "Green",
    "fail": "Red",
    "undecided": "No answer",
    "invalid": "No trustworthy answer",
}
SHOWN = 3


def check_text(result: Result) -> str:
    """Headline, criteria, remedy, what broke first, warnings; a line each."""
    gate = gate_of(result)
    lines = [
        headline(result),
        *(f"  {row}" for row in rows(gate)),
        *([] if gate.remedy is None else [f"Remedy: {gate.remedy}."]),
        *_why(result, gate),
        *(f"Note: {caveat}" for caveat in result.answer.caveats),
        *(f"Warning: {says}." for says in _other_warnings(result, gate)),
    ]
    return "\n".join(line for line in lines if line)


def headline(result: Result) -> str:
    """The verdict in a sentence."""
    gate = gate_of(result)
    return f"{WORDS[gate.verdict]}: {_outcome(gate)}{_because(gate)}."


def block_line(side: Side, block: StepRecord) -> str:
    """A finished block of a comparison in one line."""
    times = block.response_ms
    wrong = "".join(f", {why}" for why in block.verdict.reasons if block.verdict.name == "invalid")
    return (
        f"{side} {block.index + 1}: p50 {duration(times.p50)}, p95 {duration(times.p95)}, "
        f"errors {share(errors_share(block))}{wrong}"
    )


def rows(gate: Gate) -> list[str]:
    """A line for each criterion."""
    return [f"{one.verdict}: {one.slo}: {one.says}" for one in gate.criteria]


def _outcome(gate: Gate) -> str:
    at = f"at {format_rate(gate.offered_per_s)}/s"
    if gate.comparison is not None:
        return _changed(gate, gate.comparison, at)
    says: dict[VerdictName, str] = {
        "pass": f"every objective was met {at}",
        "fail": f"an objective was missed {at}",
        "undecided": f"the objectives were neither surely met nor surely missed {at}",
        "invalid": f"the measurement itself failed {at}",
    }
    return says[gate.verdict]


def _changed(gate: Gate, comparison: Comparison, at: str) -> str:
    says: dict[VerdictName, str] = {
        "pass": f"no loss of {percent(comparison.loss)} or more {at}",
        "fail": f"worse than the base {at}",
        "undecided": f"a loss of {percent(comparison.loss)} would not have been seen {at}",
        "invalid": f"the measurement itself failed {at}",
    }
    return says[gate.verdict]


def _because(gate: Gate) -> str:
    """The reasons that are not among the criteria, which follow anyway."""
    known = {one.says for one in gate.criteria}
    more = [reason for reason in gate.reasons if reason not in known]
    return f": {'; '.join(more[:SHOWN])}" if more else ""


def _why(result: Result, gate: Gate) -> list[str]:
    finding = finding_of(result)
    return [finding_text(finding)] if finding is not None and gate.verdict == "fail" else []


def _other_warnings(result: Result, gate: Gate) -> list[str]:
    return [says for says in warnings(result) if says not in gate.reasons]
