"""From what a load-model file says, section by section, to the words of the flags."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from breakstep.plan.faults import Place
from breakstep.plan.reading import Part, Said
from breakstep.plan.words import Flags, RequestWords

Pick = Callable[[Said], Any]
"""Which of a word is taken: its value, or what may be shown of it."""

_PATHS = frozenset({"cacert", "unix_socket"})
_JOINED = frozenset({"steps", "pin"})
"""Lists that are one text as a flag."""


def flags_of(document: Part, directory: Path, pick: Pick) -> Flags:
    """The words of a file that lies in a directory, which its paths are taken from."""
    said = _of_flags(document)
    demand = document.words.get("demand", Part({}, document.place))
    requests = document.words.get("requests", ())
    return Flags(
        **{word: _value(word, found, directory, pick) for word, found in said.items()},
        requests=tuple(_request(part, directory, pick) for part in requests),
        demand={word: found.value for word, found in demand.said()},
        places={
            "url": replace(document.place, name="target.url"),
            **_places(said),
            **{f"demand.{word}": found.place for word, found in demand.said()},
            "requests": replace(requests[0].place if requests else document.place, name="requests"),
        },
    )


def _of_flags(document: Part) -> Mapping[str, Said | Sequence[Said]]:
    """The words that are flags too, whatever section they stand in."""
    lists = {word: document.words.get(word, ()) for word in ("slo", "probe")}
    parts = [document.words.get(name) for name in ("target", "load", "experiment")]
    words = {word: said for part in parts if part for word, said in part.words.items()}
    return {word: said for word, said in (lists | words).items() if said != ()}


def _value(word: str, said: Said | Sequence[Said], directory: Path, pick: Pick) -> Any:  # noqa: ANN401  each word has a type of its own
    if isinstance(said, Said):
        return str(directory / pick(said)) if word in _PATHS else pick(said)
    entries = tuple(pick(one) for one in said)
    return ",".join(map(str, entries)) if word in _JOINED else entries


def _places(said: Mapping[str, Said | Sequence[Said]]) -> Mapping[str, Place]:
    places = {}
    for word, found in said.items():
        entries = (found,) if isinstance(found, Said) else found
        places[word] = replace(entries[0].place, name=entries[0].place.name.partition("[")[0])
        places |= {f"{word}[{number}]": one.place for number, one in enumerate(entries)}
    return places


def _request(part: Part, directory: Path, pick: Pick) -> RequestWords:
    words = {word: pick(said) for word, said in part.said()}
    data = part.words.get("data")
    if data is not None and data.value.startswith("@"):
        # A path is read, never shown.
        words["data"] = f"@{directory / data.value[1:]}"
    return RequestWords(
        **words,
        headers=tuple((name, pick(said)) for name, said in part.words.get("headers", ())),
        place=part.place,
        places={word: said.place for word, said in part.said()},
    )
