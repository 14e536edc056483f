"""What broke first, in plain text: a paragraph under the answer, and the whole reasoning."""

from collections.abc import Iterable

from breakstep.model.finding import Alternative, Confidence, Evidence, Finding
from breakstep.model.printable import printable

ROWS_SHORT = 3
"""Evidence under the answer; the reasoning has all of it."""
SURE: dict[Confidence, str] = {
    "high": "confidence: high",
    "medium": "confidence: medium",
    "low": "confidence: low",
}
MEANS: dict[Confidence, str] = {
    "high": "The measurements show it, in the order that cause and effect would have, and nothing "
    "else was at its limit.",
    "medium": "The measurements show it, but either the load at which its queue began, or its "
    "forecast from light loads, or a signal that could speak against it is missing.",
    "low": "Not shown beyond doubt: another resource was at its limit as well, or only the effect "
    "was seen. Decide by experiment.",
}


def finding_text(finding: Finding) -> str:
    """A few lines to stand under the answer; empty where there is nothing to explain."""
    if finding.kind == "not_observed":
        return _lines(_unobserved(finding))
    return _lines(
        (
            f"What broke first: {finding.says} ({SURE[finding.confidence]})",
            *(f"  {_row(row)}" for row in finding.evidence[:ROWS_SHORT]),
            *_rivals(finding),
            *([f"What helps: {finding.remedy}"] if finding.remedy else []),
        )
    )


def why_text(finding: Finding) -> str:
    """The whole reasoning: all evidence, what else it may have been, what was not looked at."""
    parts = (
        [finding.says if finding.kind == "not_observed" else f"What broke first: {finding.says}"],
        [f"Kind: {finding.kind}", *_resource(finding), *_confidence(finding)],
        _listed("Evidence", (_row(row) for row in finding.evidence)),
        _listed("Not excluded", map(_alternative, finding.alternatives)),
        _listed("Not looked at", finding.missing),
        [f"What helps: {finding.remedy}"] if finding.remedy else [],
    )
    return "\n\n".join(_lines(part) for part in parts if part)


def _unobserved(finding: Finding) -> Iterable[str]:
    """Nothing at all where the service did not break."""
    if finding.remedy is None:
        return
    yield finding.says
    yield from (f"  {_row(row)}" for row in finding.evidence[:ROWS_SHORT])
    yield from (f"  {_alternative(one)}" for one in finding.alternatives[:1])
    yield from (
        f"  {sentence[0].upper()}{sentence[1:]}." for sentence in finding.missing[:ROWS_SHORT]
    )


def _rivals(finding: Finding) -> Iterable[str]:
    """What could not be excluded, where that is worth a line under the answer."""
    if finding.confidence == "low":
        yield from (f"Or: {_alternative(one)}" for one in finding.alternatives[:1])


def _resource(finding: Finding) -> list[str]:
    return [] if finding.resource is None else [f"Resource: {finding.resource}"]


def _confidence(finding: Finding) -> list[str]:
    if finding.kind == "not_observed":
        return []
    return [f"Confidence: {finding.confidence}. {MEANS[finding.confidence]}"]


def _row(row: Evidence) -> str:
    return f"{row.signal}: {row.says}"


def _alternative(one: Alternative) -> str:
    decide = f" To decide: {one.experiment}." if one.experiment else ""
    return f"{one.kind}: {one.says}{decide}"


def _listed(heading: str, lines: Iterable[str]) -> list[str]:
    listed = [f"  {line}" for line in lines]
    return [f"{heading}:", *listed] if listed else []


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(printable(line, 1_000) for line in lines)
