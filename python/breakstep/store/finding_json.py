"""The section `diagnosis` of `result.json`, from a finding and back."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from breakstep.model.errors import StoreError
from breakstep.model.finding import Alternative, Evidence, Finding

_SAYS_NOTHING = ""


def to_section(finding: Finding) -> dict[str, Any]:
    """The finding as JSON values; every key is present."""
    return {
        "kind": finding.kind,
        "resource": finding.resource,
        "confidence": finding.confidence,
        "evidence": [asdict(row) for row in finding.evidence],
        "alternatives": [asdict(alternative) for alternative in finding.alternatives],
        "says": finding.says,
        "missing": list(finding.missing),
        "remedy": finding.remedy,
    }


def from_section(section: Mapping[str, Any]) -> Finding:
    """The finding of a section, also of one with nothing but the keys of the first version.

    Raises StoreError.
    """
    try:
        return Finding(
            kind=section["kind"],
            resource=section["resource"],
            confidence=section["confidence"],
            says=section.get("says", _SAYS_NOTHING),
            evidence=tuple(Evidence(**row) for row in section["evidence"]),
            alternatives=tuple(Alternative(**row) for row in section["alternatives"]),
            missing=tuple(section.get("missing", ())),
            remedy=section.get("remedy"),
        )
    except KeyError as error:
        raise StoreError(f"the diagnosis is incomplete: {error} is missing") from error
    except (TypeError, AttributeError) as error:
        raise StoreError(f"the diagnosis is damaged: {error}") from error
