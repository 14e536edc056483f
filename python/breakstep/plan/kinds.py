"""What may stand behind a key of the file: how it is read, and how an editor is told of it.

A kind turns a node into words, with their places, and notes a fault for what has another shape.
What a word means, such as how long `10s` is, is not asked here: flags and file meet in the plan.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Protocol

from breakstep.plan import tree
from breakstep.plan.faults import Place
from breakstep.plan.reading import Part, Reading, Said
from breakstep.plan.tree import Node
from breakstep.plan.variables import expand

Schema = Mapping[str, object]


class Kind(Protocol):
    """What may stand behind a key."""

    def read(self, node: Node, name: str, reading: Reading) -> Any:  # noqa: ANN401
        """Words of the node; None, with a fault, if it has another shape."""

    def schema(self) -> Schema:
        """The same for an editor, as JSON Schema."""


@dataclass(frozen=True, slots=True)
class Word:
    """A single value. `parse` makes of it what the plan takes, by default the text itself."""

    says: Schema
    parse: Callable[[str], object] = str
    variables: bool = False

    def read(self, node: Node, name: str, reading: Reading) -> Said | None:
        """The word."""
        if not isinstance(node, tree.Scalar):
            reading.fault(node, name, "one value is expected here, not a list or keys of its own")
            return None
        if node.text is None:
            reading.fault(node, name, "there is no value: write one, or leave the line out")
            return None
        reading.spend(len(node.text))
        try:
            return self._said(node.text, reading.place(node, name), reading)
        except ValueError as error:
            reading.fault(node, name, str(error))
            return None

    def _said(self, text: str, place: Place, reading: Reading) -> Said:
        if not self.variables:
            parsed = self.parse(text)
            return Said(parsed, parsed, place)
        found = expand(text, reading.environment)
        reading.spend(len(found.text))
        reading.values.update(found.values)
        return Said(self.parse(found.text), self.parse(found.shown), place)

    def schema(self) -> Schema:
        """As given."""
        return dict(self.says)


@dataclass(frozen=True, slots=True)
class Many:
    """A list; `alone` a single entry stands for a list of one."""

    of: Kind
    most: int = 1000
    alone: bool = True

    def read(self, node: Node, name: str, reading: Reading) -> tuple[Any, ...]:
        """The words without a fault, in their order."""
        if not isinstance(node, tree.Listing):
            if not self.alone:
                reading.fault(node, name, "a list is expected here: begin each entry with -")
                return ()
            found = [self.of.read(node, name, reading)]
        elif len(node.items) > self.most:
            reading.fault(node, name, f"{len(node.items)} entries: at most {self.most}")
            return ()
        else:
            found = [
                self.of.read(item, f"{name}[{number}]", reading)
                for number, item in enumerate(node.items)
            ]
        return tuple(each for each in found if each is not None)

    def schema(self) -> Schema:
        """One or many."""
        one = self.of.schema()
        many = {"type": "array", "items": one, "maxItems": self.most}
        return {"anyOf": [one, many]} if self.alone else many


@dataclass(frozen=True, slots=True)
class Slo:
    """`p95<200ms`, or `NAME: p95<200ms`, which YAML reads as a key with a value."""

    of: Word

    def read(self, node: Node, name: str, reading: Reading) -> Said | None:
        """The SLO as one text."""
        if not isinstance(node, tree.Mapping) or len(node.pairs) != 1:
            return self.of.read(node, name, reading)
        key, inner = node.pairs[0]
        said = self.of.read(inner, name, reading)
        if said is None:
            return None
        text = f"{key.text}: {said.value}"
        return Said(text, text, reading.place(key, name))

    def schema(self) -> Schema:
        """A text, or one name with its bound."""
        bound = self.of.schema()
        named = {"type": "object", "additionalProperties": bound, "maxProperties": 1}
        return {"anyOf": [bound, {**named, "minProperties": 1}]}


@dataclass(frozen=True, slots=True)
class Pairs:
    """Names that the user chooses, each with a word, such as headers."""

    of: Word
    most: int = 100

    def read(self, node: Node, name: str, reading: Reading) -> tuple[tuple[str, Said], ...]:
        """The pairs without a fault."""
        pairs = _pairs(node, name, reading)
        if len(pairs) > self.most:
            reading.fault(node, name, f"{len(pairs)} entries: at most {self.most}")
            return ()
        found = [
            (key.text or "", self.of.read(inner, _under(name, key), reading))
            for key, inner in pairs
        ]
        return tuple((key, said) for key, said in found if said is not None)

    def schema(self) -> Schema:
        """Any names."""
        return {
            "type": ["object", "null"],
            "additionalProperties": self.of.schema(),
            "maxProperties": self.most,
        }


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a section. `word` is its name among the flags, where it is another."""

    kind: Kind
    says: str
    word: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """Keys with their kinds."""

    keys: Mapping[str, Key]
    needed: Sequence[str] = ()

    def read(self, node: Node, name: str, reading: Reading) -> Part:
        """What was read of it."""
        found = {}
        for key, inner in _pairs(node, name, reading):
            if (known := self.keys.get(key.text or "")) is None:
                reading.fault(key, _under(name, key), _unknown(key.text or "", list(self.keys)))
            elif (read := known.kind.read(inner, _under(name, key), reading)) is not None:
                found[known.word or (key.text or "").replace("-", "_")] = read
        return Part(found, reading.place(node, name))

    def schema(self) -> Schema:
        """An object of these keys and no others."""
        return {
            "type": "object" if self.needed else ["object", "null"],
            "additionalProperties": False,
            "properties": {
                name: {"description": key.says, **key.kind.schema()}
                for name, key in self.keys.items()
            },
            **({"required": list(self.needed)} if self.needed else {}),
        }


def _pairs(node: Node, name: str, reading: Reading) -> Sequence[tuple[tree.Scalar, Node]]:
    """The pairs of a mapping, each key once; with all of its lines commented out there are none."""
    if isinstance(node, tree.Scalar) and node.text is None:
        return ()
    if not isinstance(node, tree.Mapping):
        reading.fault(
            node, name or "the file", "keys with values are expected here: write KEY: VALUE"
        )
        return ()
    lines: dict[str | None, int] = {}
    kept = []
    for key, inner in node.pairs:
        reading.spend(len(key.text or ""))
        if key.text in lines:
            again = f"is there twice, first in line {lines[key.text]}: leave one out"
            reading.fault(key, _under(name, key), again)
        else:
            lines[key.text] = key.line
            kept.append((key, inner))
    return kept


def _under(name: str, key: tree.Scalar) -> str:
    shown = _short(key.text or "")
    return f"{name}.{shown}" if name else shown


def _unknown(key: str, known: Sequence[str]) -> str:
    if near := get_close_matches(key[:_SHOWN].lower(), known, 1):
        return f"there is no such key; did you mean {near[0]!r}?"
    return f"there is no such key; there are {', '.join(known)}"


_SHOWN = 60


def _short(text: str) -> str:
    """A key as a fault can show it: escaped, not endless."""
    cut = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    return cut if cut.isprintable() else repr(cut)[1:-1]
