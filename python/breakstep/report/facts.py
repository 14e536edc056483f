"""Nested values as names and texts, as a page lists them."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from breakstep.report.page_text import fit

FACTS_MAX = 200
VALUE_MAX = 300
LISTED_MAX = 100


def facts_shown(value: Any) -> list[tuple[str, str]]:  # noqa: ANN401
    """As many facts as anybody reads, each cut to what a line or two hold."""
    found = list(islice(facts(value), FACTS_MAX + 1))
    more = [("and more", "all of it is in result.json")] if len(found) > FACTS_MAX else []
    return [
        *((fit(name, VALUE_MAX), fit(text, VALUE_MAX)) for name, text in found[:FACTS_MAX]),
        *more,
    ]


def facts(value: Any, name: str = "") -> Iterator[tuple[str, str]]:  # noqa: ANN401
    """Every leaf of nested JSON values with its dotted name.

    >>> list(facts({"target": {"port": 80, "tls": False}}))
    [('target.port', '80'), ('target.tls', 'no')]
    """
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from facts(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list | tuple):
        yield name, _listed(value)
    else:
        yield name, _plain(value)


def _listed(values: list[Any] | tuple[Any, ...]) -> str:
    texts = [text for inner in values[:LISTED_MAX] for _, text in facts(inner)]
    more = [f"and {len(values) - LISTED_MAX} more"] if len(values) > LISTED_MAX else []
    return ", ".join([*texts, *more]) or "none"


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)
