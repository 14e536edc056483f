"""The section `sweep` of `result.json`."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from breakstep.model.errors import StoreError
from breakstep.model.record import Check, Durations, Generator, InFlight, Result, Trust
from breakstep.model.sweep import Comparison, Laws, Level, Side, Sweep, ThroughputKnee, Usl

SECTION = "sweep"
_DERIVED = ("errors", "little_error")
"""Of a level: written for the reader's convenience, and made anew when read."""


def to_section(sweep: Sweep) -> dict[str, Any]:
    """The section as JSON values."""
    section: dict[str, Any] = _plain(asdict(sweep))
    for level, found in zip(section["levels"], sweep.levels, strict=True):
        level["statuses"] = {str(status): count for status, count in found.statuses.items()}
        level |= {"errors": found.errors, "little_error": found.laws.little_error}
    section["knee_concurrency"] = sweep.knee.concurrency
    return section


def sweep_of(result: Result) -> Sweep:
    """The sweep that a result holds. Raises StoreError when there is none, or it is damaged."""
    if SECTION not in result.sections:
        raise StoreError(f"this is the result of {result.command!r}: it holds no sweep")
    try:
        return _sweep(result.sections[SECTION])
    except KeyError as error:
        raise StoreError(f"the sweep is incomplete: {error} is missing") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise StoreError(f"the sweep is damaged: {error}") from error


def _plain(value: Any) -> Any:  # noqa: ANN401  JSON is of any shape
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list | tuple) else value


def _sweep(section: Mapping[str, Any]) -> Sweep:
    compared = section["compare_open"]
    knee = section["knee"]
    return Sweep(
        think_ms=section["think_ms"],
        levels=tuple(_level(level) for level in section["levels"]),
        stop_reason=section["stop_reason"],
        why=section["why"],
        knee=ThroughputKnee(**{**knee, "reasons": tuple(knee["reasons"])}),
        usl=Usl(**{key: _range(value) for key, value in section["usl"].items()}),
        compare_open=None if compared is None else _comparison(compared),
        notes=tuple(section["notes"]),
    )


def _level(level: Mapping[str, Any]) -> Level:
    fields = {key: value for key, value in level.items() if key not in _DERIVED}
    fields |= {name: _durations(level[name]) for name in level if name.endswith("_ms")}
    fields["statuses"] = {int(status): count for status, count in level["statuses"].items()}
    fields["in_flight"] = InFlight(**level["in_flight"])
    fields["laws"] = Laws(**level["laws"])
    fields["generator"] = Generator(**level["generator"])
    fields["trust"] = _trust(level["trust"])
    return Level(**fields)


def _comparison(compared: Mapping[str, Any]) -> Comparison:
    fields = {**compared, "trust": _trust(compared["trust"])}
    for model in ("closed", "open"):
        side = compared[model]
        fields[model] = Side(**{**side, "response_ms": _durations(side["response_ms"])})
    return Comparison(**fields)


def _durations(durations: Mapping[str, Any]) -> Durations:
    return Durations(**durations)


def _trust(trust: Mapping[str, Any]) -> Trust:
    return Trust(trust["verdict"], tuple(Check(**check) for check in trust["checks"]))


def _range(value: Any) -> Any:  # noqa: ANN401
    return tuple(value) if isinstance(value, list) else value
