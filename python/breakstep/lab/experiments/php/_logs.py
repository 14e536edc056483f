"""The access logs of nginx and php-fpm, read by the second in which a request ended."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from breakstep.model.record import StepRecord

_WHEN = r"(\d\d/\w{3}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4})"
_NGINX = re.compile(rf'\[{_WHEN}\] "[^"]*" (\d+) .* rt=([\d.]+) .* uct="([\d.]*)')
_FPM = re.compile(rf"{_WHEN} .* status=(\d+) dt=(\d+)$")
_TIME = "%d/%b/%Y:%H:%M:%S %z"
_MS_PER_S, _US_PER_MS = 1e3, 1e3


@dataclass(frozen=True, slots=True)
class Line:
    """A request that ended: when, in seconds since 1970, how, and what it took.

    `connect_ms` is what nginx waited for its connection to PHP; None where it had none.
    """

    at_s: float
    status: int
    took_ms: float
    connect_ms: float | None = None


def nginx_lines(log: Path) -> Sequence[Line]:
    """What nginx wrote: its time is that of the whole request."""
    return [
        Line(_at(when), int(status), float(took) * _MS_PER_S, _ms(connect))
        for when, status, took, connect in _found(_NGINX, log)
    ]


def fpm_lines(log: Path) -> Sequence[Line]:
    """What php-fpm wrote: its time is that of a worker."""
    return [
        Line(_at(when), int(status), int(took) / _US_PER_MS)
        for when, status, took in _found(_FPM, log)
    ]


def within(lines: Sequence[Line], step: StepRecord) -> Sequence[Line]:
    """Those that ended in a step's window. Logs know whole seconds only."""
    return [line for line in lines if step.window_from <= line.at_s < step.window_to]


def _found(pattern: re.Pattern[str], log: Path) -> Iterator[tuple[str, ...]]:
    with log.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if match := pattern.search(line):
                yield match.groups()


def _at(when: str) -> float:
    return datetime.strptime(when, _TIME).timestamp()  # noqa: DTZ007  the log has its zone: %z


def _ms(seconds: str) -> float | None:
    return float(seconds) * _MS_PER_S if seconds else None
