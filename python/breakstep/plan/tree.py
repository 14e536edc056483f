"""YAML as a tree that knows its lines, and nothing else of YAML.

Every scalar stays the text that was written: `no`, `1e3`, `012` and `12:30` mean what the reader
of the key makes of them, not what YAML guesses. Tags, and so objects, are refused. An alias is the
node of its anchor, so the tree takes no more memory than the file; who walks it has to bound the
walk.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml
from yaml import events

from breakstep.plan.faults import Faults, Place

DEPTH_MAX = 16
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})


@dataclass(frozen=True, slots=True)
class Node:
    """Where a node begins, from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Scalar(Node):
    """A text as it was written; None where nothing was."""

    text: str | None


@dataclass(frozen=True, slots=True)
class Listing(Node):
    """A list."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Mapping(Node):
    """Pairs in the order in which they were written; a key may be there twice."""

    pairs: tuple[tuple[Scalar, Node], ...]


class _Unreadable(Exception):  # noqa: N818  it never leaves this module
    def __init__(self, at: tuple[int, int], says: str) -> None:
        self.at, self.says = at, says


def parse_tree(text: str, file: str, faults: Faults) -> Node | None:
    """The one document of a YAML text; None, with a fault, for what is not one."""
    try:
        return _document(_tagless(yaml.parse(_printable(text), _LOADER)))
    except _Unreadable as error:
        faults.add(Place("YAML", file, *error.at), error.says)
    except yaml.MarkedYAMLError as error:
        at = _at(error.problem_mark or error.context_mark)
        faults.add(Place("YAML", file, *at), f"{error.problem or 'not YAML'}{_remedy(error)}")
    return None


# The same events; libyaml reads a megabyte in half a second instead of ten.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _printable(text: str) -> str:
    if (found := yaml.reader.Reader.NON_PRINTABLE.search(text)) is None:
        return text
    before = text[: found.start()]
    at = (before.count("\n") + 1, len(before) - before.rfind("\n"))
    raise _Unreadable(at, f"the character U+{ord(found[0]):04X} is not allowed here: remove it")


def _tagless(found: Iterator[events.Event]) -> Iterator[events.Event]:
    for event in found:
        tag = getattr(event, "tag", None)
        if tag is not None:
            raise _Unreadable(_of(event), f"the tag {tag[:50]!r} is not read: leave it out")
        yield event


def _document(found: Iterator[events.Event]) -> Node:
    reader = _Reader(found)
    event = reader.next()
    if isinstance(event, events.StreamEndEvent):
        raise _Unreadable(_of(event), "the file is empty: `breakstep init URL` writes one")
    root = reader.node(reader.next(), 0)
    event = reader.next()
    if not isinstance(event, events.StreamEndEvent):
        raise _Unreadable(_of(event), "a second document begins here: a file holds one")
    return root


class _Reader:
    """Nodes from events. The depth is bounded, so recursion is."""

    def __init__(self, found: Iterator[events.Event]) -> None:
        self._found = found
        self._anchors: dict[str, Node] = {}

    def next(self) -> events.Event:
        """The next event that says something."""
        unsaid = (events.StreamStartEvent, events.DocumentEndEvent)
        return next(event for event in self._found if not isinstance(event, unsaid))

    def node(self, event: events.Event, depth: int) -> Node:
        """The node that begins with an event."""
        if depth > DEPTH_MAX:
            raise _Unreadable(_of(event), f"nested more than {DEPTH_MAX} deep")
        if isinstance(event, events.AliasEvent):
            return self._anchored(event)
        made = self._made(event, depth)
        if (anchor := getattr(event, "anchor", None)) is not None:
            self._anchors[anchor] = made
        return made

    def _made(self, event: events.Event, depth: int) -> Node:
        at = _of(event)
        if isinstance(event, events.ScalarEvent):
            absent = event.implicit[0] and event.value in _NULLS
            return Scalar(*at, None if absent else event.value)
        if isinstance(event, events.SequenceStartEvent):
            return Listing(*at, tuple(self.node(each, depth + 1) for each in self._until_end()))
        pairs = ((self._key(each), self.node(self.next(), depth + 1)) for each in self._until_end())
        return Mapping(*at, tuple(pairs))

    def _until_end(self) -> Iterator[events.Event]:
        while not isinstance(event := self.next(), events.CollectionEndEvent):
            yield event

    def _key(self, event: events.Event) -> Scalar:
        if not isinstance(event, events.ScalarEvent):
            raise _Unreadable(_of(event), "a key is a plain word")
        return Scalar(*_of(event), event.value)

    def _anchored(self, event: events.AliasEvent) -> Node:
        # An anchor is known once its node is whole, so no node can hold itself.
        if event.anchor not in self._anchors:
            name = event.anchor
            raise _Unreadable(_of(event), f"*{name} stands for nothing: &{name} must come first")
        return self._anchors[event.anchor]


def _of(event: events.Event) -> tuple[int, int]:
    return _at(event.start_mark)


def _at(mark: Any) -> tuple[int, int]:  # noqa: ANN401  libyaml's marks are of another type
    return (1, 1) if mark is None else (mark.line + 1, mark.column + 1)


def _remedy(error: yaml.MarkedYAMLError) -> str:
    problem = error.problem or ""
    if "cannot start any token" in problem:
        return ": indent with spaces, and put a text that begins with such a character in quotes"
    if "mapping values" in problem:
        return ": put a text that holds ': ' in quotes"
    return ": see whether quotes, brackets and the indentation are right"
