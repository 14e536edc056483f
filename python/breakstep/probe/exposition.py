"""The text format of Prometheus, as exporters write it: lines in, samples out.

The part of a line before its value is the same at every scrape, so it is looked at once and
remembered; what is left to do for a known line is to find its value.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from breakstep.model.printable import printable
from breakstep.model.signal import labelled
from breakstep.probe.reading import Reading

KEY_MAX = 1_000
"""Characters of a name with its labels; longer ones are passed over."""
KNOWN_MAX = 20_000
_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
_LABEL = re.compile(
    r'\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)', re.ASCII | re.DOTALL
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_SUFFIX = re.compile(r"_(total|sum|count|bucket|created)$")
_GROWING: Mapping[str, frozenset[str]] = {
    "untyped": frozenset({"total", "sum", "count"}),
    "unknown": frozenset({"total", "sum", "count"}),
    "summary": frozenset({"sum", "count"}),
    "histogram": frozenset({"sum", "count", "bucket"}),
}
_UNITS: Mapping[str, str] = {"seconds": "s", "bytes": "bytes", "ratio": "share"}
_DETAIL = re.compile(r"(_bucket)\{(?:.*,)?le=|\{(?:.*,)?(quantile)=")


@dataclass(frozen=True, slots=True)
class Series:
    """One series as it is kept."""

    name: str
    unit: str
    counter: bool


@dataclass(slots=True)
class Scraper:
    """Reads the series that match a pattern; all but buckets and quantiles without patterns.

    A pattern stands for the name alone, or for the name with its labels: `a_total`, `a{code=5*}`.
    """

    patterns: Sequence[str] = ()
    _known: dict[str, Series | None] = field(default_factory=dict)

    def readings(self, text: str) -> list[Reading]:
        """What is wanted of a scrape. Lines that are none of the format are passed over."""
        types = _types(text)
        found: dict[str, Reading] = {}
        for key, value in samples(text):
            series = self._series(key, types)
            if series is not None:
                reading = Reading(series.name, series.unit, value, series.counter)
                found.setdefault(series.name, reading)
        return list(found.values())

    def _series(self, key: str, types: Mapping[str, str]) -> Series | None:
        if key not in self._known:
            if len(self._known) >= KNOWN_MAX:
                self._known.clear()
            self._known[key] = self._look(key, types)
        return self._known[key]

    def _look(self, key: str, types: Mapping[str, str]) -> Series | None:
        try:
            series = parse_key(key, types)
        except ValueError:
            return None
        return series if self._wanted(series.name) else None

    def _wanted(self, name: str) -> bool:
        detail = _DETAIL.search(name)
        # Only a pattern that says so means one of the many buckets or quantiles.
        said = "" if detail is None else detail[1] or detail[2]
        patterns = self.patterns or ("*",)
        return any(said in pattern and _matches(name, pattern) for pattern in patterns)


def samples(text: str) -> Iterator[tuple[str, float]]:
    """Every line with a value: what stands before it, and the value."""
    exemplars = text.rstrip().endswith("# EOF")
    for line in text.split("\n"):
        if line.startswith("#"):
            continue
        key, brace, rest = (line.partition(" # {")[0] if exemplars else line).rpartition("}")
        if not brace:
            key, _, rest = line.partition(" ")
        try:
            yield key.strip(), float(rest.split(None, 1)[0])
        except (ValueError, IndexError):
            continue


def parse_key(key: str, types: Mapping[str, str]) -> Series:
    """The series that a line tells of; its closing brace is off. Raises ValueError.

    >>> parse_key('http_requests_total{code="200"', {}).name
    'http_requests_total{code=200}'
    """
    name, brace, inside = key.partition("{")
    name = name.strip()
    if len(key) > KEY_MAX or not _NAME.fullmatch(name):
        raise ValueError("no name of a series")
    counter = _is_counter(name, types)
    labels = dict(_labels(inside)) if brace else {}
    return Series(labelled(name, **labels), _unit(name, counter=counter), counter)


def _labels(inside: str) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(inside.rstrip()):
        match = _LABEL.match(inside, at)
        if match is None:
            raise ValueError("no label")
        at = match.end()
        yield match[1], printable(_ESCAPED.sub(_unescape, match[2]), KEY_MAX)


def _unescape(escape: re.Match[str]) -> str:
    return "\n" if escape[1] == "n" else escape[1]


def _types(text: str) -> Mapping[str, str]:
    rows = (line.split() for line in text.split("\n") if line.startswith("# TYPE "))
    return {row[2]: row[3] for row in rows if len(row) == 4}  # noqa: PLR2004  # TYPE name type


def _is_counter(name: str, types: Mapping[str, str]) -> bool:
    suffix = _SUFFIX.search(name)
    kind = types.get(name) or types.get(_SUFFIX.sub("", name), "untyped")
    ending = suffix[1] if suffix else ""
    if kind == "counter":
        return ending != "created"
    return ending in _GROWING.get(kind, ())


def _unit(name: str, *, counter: bool) -> str:
    suffix = _SUFFIX.search(name)
    counted = suffix is not None and suffix[1] in {"count", "bucket"}
    unit = "" if counted else _UNITS.get(_SUFFIX.sub("", name).rpartition("_")[2], "")
    return f"{unit or '1'}/s" if counter else unit


def _matches(name: str, pattern: str) -> bool:
    # Prometheus writes the value of a label in quotes; here there are none.
    bare = pattern.replace('"', "")
    return fnmatchcase(name, bare) or fnmatchcase(name.partition("{")[0], bare)
