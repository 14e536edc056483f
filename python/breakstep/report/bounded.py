"""A value with every text in it cut to what a page shows, so that no later step handles more."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import TypeVar, cast

from breakstep.report.page_text import LONGEST, fit

T = TypeVar("T")


def bounded(value: T) -> T:
    """The value with its texts cut; of records, mappings and lists those inside.

    >>> len(bounded({"a": ["x" * 1_000_000]})["a"][0])
    627
    """
    return cast("T", _bounded(value))


def _bounded(value: object) -> object:
    if isinstance(value, str):
        return value if len(value) <= LONGEST else fit(value, LONGEST)
    if isinstance(value, Mapping):
        return _mapping(value)
    if isinstance(value, list | tuple):
        return type(value)(map(_bounded, value))
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: _bounded(getattr(value, f.name)) for f in fields(value)})
    return value


def _mapping(value: Mapping[object, object]) -> dict[object, object]:
    found: dict[object, object] = {}
    for number, (key, inner) in enumerate(value.items(), start=1):
        name = _bounded(key)
        # Names that differ only beyond the cut are still names of different things.
        found[f"{name} #{number}" if name in found else name] = _bounded(inner)
    return found
