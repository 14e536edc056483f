"""The section `check` of `result.json`."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from breakstep.model.check import Block, Comparison, Difference, Gate
from breakstep.model.errors import StoreError
from breakstep.model.record import Criterion, Estimate, Result

SECTION = "check"


def to_section(gate: Gate) -> dict[str, Any]:
    """The section as JSON values."""
    return {**_listed(asdict(gate)), "comparison": _comparison_json(gate.comparison)}


def gate_of(result: Result) -> Gate:
    """What a result says of a gate. Raises StoreError when it is of no gate, or damaged."""
    if SECTION not in result.sections:
        raise StoreError(f"this is the result of {result.command!r}: it holds no check")
    try:
        return _gate(result.sections[SECTION])
    except KeyError as error:
        raise StoreError(f"the check is incomplete: {error} is missing") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise StoreError(f"the check is damaged: {error}") from error


def _comparison_json(comparison: Comparison | None) -> dict[str, Any] | None:
    return None if comparison is None else _listed(asdict(comparison))


def _listed(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {key: list(v) if isinstance(v, tuple) else v for key, v in fields.items()}


def _gate(section: Mapping[str, Any]) -> Gate:
    compared = section.get("comparison")
    return Gate(
        offered_per_s=section["offered_per_s"],
        verdict=section["verdict"],
        criteria=tuple(_criterion(criterion) for criterion in section["criteria"]),
        reasons=tuple(section["reasons"]),
        remedy=section["remedy"],
        from_run=section["from_run"],
        comparison=None if compared is None else _comparison(compared),
    )


def _criterion(criterion: Mapping[str, Any]) -> Criterion:
    estimate = criterion["estimate"]
    return Criterion(**{**criterion, "estimate": estimate and Estimate(**estimate)})


def _comparison(compared: Mapping[str, Any]) -> Comparison:
    return Comparison(
        verdict=compared["verdict"],
        pairs=compared["pairs"],
        loss=compared["loss"],
        differences=tuple(Difference(**one) for one in compared["differences"]),
        reasons=tuple(compared["reasons"]),
        blocks=tuple(Block(**one) for one in compared["blocks"]),
    )
