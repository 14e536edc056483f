"""`json:URL`: numbers of any JSON document."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from breakstep.model.errors import ProbeError
from breakstep.model.printable import printable
from breakstep.model.probe import ProbeSpec
from breakstep.probe.http_get import get
from breakstep.probe.options import insecure, timeout_s
from breakstep.probe.reading import PartialError, Reading

RATE = ":rate"
NUMBERS_MAX = 2_000
"""Looked at without a path; the sampler keeps fewer, and says so."""
DEPTH_MAX = 20
INDEX_DIGITS = 10
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One document, fetched anew at every read. Without paths every number is kept."""

    url: str
    paths: Sequence[str]
    timeout_s: float
    insecure: bool

    def read(self) -> Sequence[Reading]:
        """The numbers now. Raises PartialError with the rest if a path leads to none."""
        document = self._document()
        found = list(readings(document, self.paths))
        missing = [path for path in self.paths if not list(readings(document, [path]))]
        if missing or not found:
            raise PartialError(_missing(document, missing), found)
        return found

    def close(self) -> None:
        """Nothing is held between two reads."""

    def _document(self) -> object:
        try:
            return parse(get(self.url, timeout_s=self.timeout_s, insecure=self.insecure))
        except ValueError as error:
            raise ProbeError("what it answers is not JSON: is it the right path?") from error


def open_probe(spec: ProbeSpec) -> Endpoint:
    """Fetches once. Raises ProbeError if a path leads to no number, naming those that do."""
    endpoint = Endpoint(spec.where, spec.values("path"), timeout_s(spec), insecure(spec))
    endpoint.read()
    return endpoint


def parse(text: bytes | str) -> object:
    """The document, its numbers as floats. Raises ValueError."""
    try:
        return json.loads(text, parse_int=float)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def readings(document: object, paths: Sequence[str]) -> Iterator[Reading]:
    """The number at each path; every number, if there are no paths."""
    if not paths:
        for name, value in dict(_numbers(document)).items():
            yield Reading(name, "", value)
    for path in paths:
        number = _number(_follow(document, path.removesuffix(RATE).split(".")))
        if number is not None:
            rate = path.endswith(RATE)
            yield Reading(path.removesuffix(RATE), "1/s" if rate else "", number, rate)


def _follow(value: object, steps: Sequence[str]) -> object:
    """What lies at the end of the steps. A key may hold dots; the longest one there is taken."""
    if not steps:
        return value
    if isinstance(value, list):
        index = steps[0]
        inside = index.isdecimal() and len(index) < INDEX_DIGITS and int(index) < len(value)
        return _follow(value[int(index)], steps[1:]) if inside else None
    if isinstance(value, dict):
        for end in range(len(steps), 0, -1):
            key = ".".join(steps[:end])
            if key in value:
                return _follow(value[key], steps[end:])
    return None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, bool | float) else None


def _numbers(document: object) -> Iterator[tuple[str, float]]:
    """Every number with its path, in the order of the document, to a bound."""
    waiting: list[tuple[tuple[str, ...], object]] = [((), document)]
    count = 0
    while waiting and count < NUMBERS_MAX:
        path, value = waiting.pop()
        if type(value) is float:
            count += 1
            yield printable(".".join(path)) or "value", value
        elif len(path) < DEPTH_MAX:
            inside = [((*path, key), child) for key, child in _children(value)]
            waiting += reversed(inside)


def _children(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from ((str(at), child) for at, child in enumerate(value))


def _missing(document: object, paths: Sequence[str]) -> str:
    there = [name for name, _ in islice(_numbers(document), _SHOWN)]
    what = f"no number at {' or at '.join(paths)}" if paths else "no number in it"
    return f"{what}: there is {', '.join(there)}" if there else f"{what}, nor anywhere else"
