"""What lines of nginx's logs say, counted. Bytes in, readings out.

An access log may have any format: the status is the number behind the quoted request, or the one
labelled `status=`; times are numbers labelled `rt=`, `urt=` and `uct=`, in seconds.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil

from breakstep.model.signal import labelled
from breakstep.probe.reading import Reading

LINES_MAX = 500
"""Of one sample; the times of more are taken from lines evenly among them."""
CLASSES = ("1xx", "2xx", "3xx", "4xx", "5xx")
LABELS = ("rt", "urt", "uct")
VARIABLES: Mapping[str, str] = {
    "rt": "$request_time",
    "urt": "$upstream_response_time",
    "uct": "$upstream_connect_time",
}
OTHER = "other"
_MS_PER_S = 1e3

_STATUS = re.compile(
    rb'^(?:(?:[^"\n]*"[^"\n]*")+? |(?:[^"\n]*[ \t,;|])?status=)([1-5])\d\d(?!\d)', re.MULTILINE
)
# Patterns begin with a letter or a quote, which is looked for much faster than what stands before.
_BEFORE = rb"[\s,;|\[({]"
# What clients write stands in quotes and is taken out; of times only the quotes are.
_QUOTED = re.compile(
    rb'"(?:%s|[^"\n]*")'
    % b"|".join(rb'(?<=%s%s=")([^"\n]*)"' % (_BEFORE, label.encode()) for label in LABELS)
)
_NUMBER = rb"\d{1,9}(?:\.\d{1,9})?"
# An upstream that was tried again has a list of times; one that was not asked, a dash.
_TRIES = rb"((?:%(n)s|-)(?: ?[,:] (?:%(n)s|-))*)(?![\w.])" % {b"n": _NUMBER}
_TIMES = {
    label: re.compile(
        rb"%(l)s=(?<=%(b)s%(l)s=)%(t)s" % {b"l": label.encode(), b"b": _BEFORE, b"t": _TRIES}
    )
    for label in LABELS
}
_TRY = re.compile(_NUMBER)

_ERROR = re.compile(
    rb"^[^\[\n]{0,40}\[(\w{1,8})\] [^ \n]{1,40} (?:\*\d{1,20} )?([^\n]{0,160})", re.MULTILINE
)
_SEVERE = frozenset({b"error", b"crit", b"alert", b"emerg"})
# First match wins. A full queue of a unix socket is told by error 11 of connect().
_KINDS: Sequence[tuple[str, re.Pattern[bytes]]] = (
    ("upstream timed out", re.compile(rb"upstream timed out")),
    ("connect() failed: temporarily unavailable", re.compile(rb"connect\(\).* failed \(11: ")),
    ("connect() failed", re.compile(rb"connect\(\).* failed")),
    ("no live upstreams", re.compile(rb"no live upstreams")),
    ("upstream prematurely closed", re.compile(rb"upstream prematurely closed")),
    ("worker_connections are not enough", re.compile(rb"worker_connections are not enough")),
    ("too many open files", re.compile(rb"Too many open files")),
    ("limiting requests", re.compile(rb"limiting (?:requests|connections)")),
)
KINDS = (*(kind for kind, _ in _KINDS), OTHER)


@dataclass(slots=True)
class AccessTally:
    """What an access log said since the start, and the times since the last reading."""

    lines: int = 0
    classes: Counter[str] = field(default_factory=Counter)
    times_ms: dict[str, list[float]] = field(default_factory=dict)

    def add(self, lines: bytes) -> None:
        """Takes whole lines."""
        self.lines += lines.count(b"\n")
        self.classes.update(f"{first.decode()}xx" for first in _STATUS.findall(lines))
        few = _bare(_some(lines))
        for label, pattern in _TIMES.items():
            found = self.times_ms.setdefault(label, [])
            found += (total for tries in pattern.findall(few) if (total := _ms(tries)) is not None)

    def readings(self) -> Sequence[Reading]:
        """Counts by class, and quantiles of the times, which are let go of.

        Where no line has a status there are no counts: none of them would be true.
        """
        readings = []
        if self.classes or not self.lines:
            readings += [
                Reading(
                    labelled("responses", **{"class": name}),
                    "1/s",
                    self.classes[name],
                    counter=True,
                )
                for name in CLASSES
            ]
        times, self.times_ms = self.times_ms, {}
        readings += _quantiles("request_time", times.get("rt", []), (50, 95))
        readings += _quantiles("upstream_time", times.get("urt", []), (50, 95))
        readings += _quantiles("upstream_connect_time", times.get("uct", []), (95,))
        return readings


@dataclass(slots=True)
class ErrorTally:
    """What an error log said since the start, by kind."""

    kinds: Counter[str] = field(default_factory=Counter)

    def add(self, lines: bytes) -> None:
        """Takes whole lines."""
        # Under load most lines say the same: each saying is looked at once.
        for (level, words), count in Counter(_ERROR.findall(lines)).items():
            kind = error_kind(words)
            if kind != OTHER or level in _SEVERE:
                self.kinds[kind] += count

    def readings(self) -> Sequence[Reading]:
        """The count of each kind."""
        return [
            Reading(labelled("errors", says=kind), "1/s", self.kinds[kind], counter=True)
            for kind in KINDS
        ]


def error_kind(words: bytes) -> str:
    """The kind of what an error log says.

    >>> error_kind(b"upstream timed out (110: Connection timed out) while reading, client: ::1")
    'upstream timed out'
    """
    # Behind this stand the request and other words of the client's.
    says = words.partition(b", client: ")[0]
    return next((kind for kind, pattern in _KINDS if pattern.search(says)), OTHER)


def missing_labels(lines: bytes) -> Sequence[str]:
    """The labels that none of these lines has; none for no lines."""
    bare = _bare(lines)
    return [label for label, pattern in _TIMES.items() if lines and not pattern.search(bare)]


def has_status(lines: bytes) -> bool:
    """Whether any of these lines has a status; so say no lines."""
    return not lines or _STATUS.search(lines) is not None


def _bare(lines: bytes) -> bytes:
    r"""Lines without what clients wrote.

    >>> _bare(b'"GET /?rt=9" ua="rt=9" urt="0.1"')
    b'\n ua= urt=0.1'
    """
    # The end of a line stands before each line, the first one too.
    return _QUOTED.sub(rb"\1\2\3", b"\n" + lines)


def _some(lines: bytes) -> bytes:
    several = lines.splitlines()
    step = ceil(len(several) / LINES_MAX)
    return b"\n".join(several[::step]) if step > 1 else lines


def _ms(tries: bytes) -> float | None:
    """The time of all tries together, None if there was none.

    >>> _ms(b"0.010, 0.020"), _ms(b"-")
    (30.0, None)
    """
    numbers = [float(number) for number in _TRY.findall(tries)]
    return sum(numbers) * _MS_PER_S if numbers else None


def _quantiles(name: str, times_ms: Sequence[float], percents: Sequence[int]) -> list[Reading]:
    ordered = sorted(times_ms)
    return [
        Reading(f"{name}_p{percent}", "ms", ordered[ceil(len(ordered) * percent / 100) - 1])
        for percent in percents
        if ordered
    ]
