"""nginx, by its stub_status page and, if told where, by its logs."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from breakstep.model.errors import ProbeError
from breakstep.model.probe import ProbeSpec
from breakstep.plan.redact import redact_where
from breakstep.probe import http_get
from breakstep.probe.log_tail import LogTail
from breakstep.probe.nginx_log import (
    VARIABLES,
    AccessTally,
    ErrorTally,
    has_status,
    missing_labels,
)
from breakstep.probe.options import insecure, timeout_s
from breakstep.probe.reading import PartialError, Reading

_LIMIT_BYTES = 10_000
_LOOK_BYTES = 4_000
_PAGE = re.compile(
    rb"Active connections:\s+(\d{1,18})\s+server accepts handled requests\s+"
    rb"(\d{1,18})\s+(\d{1,18})\s+(\d{1,18})(?:\s+\d{1,18})?\s+"
    rb"Reading:\s+(\d{1,18})\s+Writing:\s+(\d{1,18})\s+Waiting:\s+(\d{1,18})\s*"
)


@dataclass(frozen=True, slots=True)
class Status:
    """The numbers of a stub_status page."""

    connections: int
    accepted: int
    handled: int
    requests: int
    reading: int
    writing: int
    waiting: int


@dataclass(frozen=True, slots=True)
class Log:
    """A log that is followed and what it said so far."""

    tail: LogTail
    tally: AccessTally | ErrorTally

    def read(self) -> Sequence[Reading]:
        """What was written since. Raises ProbeError while it grows faster than it is read."""
        self.tally.add(self.tail.new())
        readings = self.tally.readings()
        if self.tail.behind:
            raise ProbeError(f"{self.tail.path} grows faster than it is read: write less into it")
        return readings


def open_probe(spec: ProbeSpec) -> "Nginx":
    """Reads the page once and opens the logs at their ends. Raises ProbeError."""
    wait_s, unchecked = timeout_s(spec), insecure(spec)

    def fetch() -> bytes:
        return http_get.get(
            spec.where, timeout_s=wait_s, insecure=unchecked, limit_bytes=_LIMIT_BYTES
        )

    probe = Nginx(redact_where(spec.where), fetch)
    try:
        probe.page()
        if path := spec.option("access_log"):
            probe.follow(path, AccessTally())
        if path := spec.option("error_log"):
            probe.follow(path, ErrorTally())
    except ProbeError:
        probe.close()
        raise
    return probe


class Nginx:
    """An open probe; every read of the page is a connection of its own."""

    def __init__(self, place: str, fetch: Callable[[], bytes]) -> None:
        self._place = place
        self._fetch = fetch
        self._reads = 0
        self._logs: list[Log] = []
        self.remark: str | None = None

    def follow(self, path: str, tally: AccessTally | ErrorTally) -> None:
        """Reads a log too, from its end. Raises ProbeError."""
        tail = LogTail(Path(path))
        self._logs.append(Log(tail, tally))
        if isinstance(tally, AccessTally):
            self.remark = _remark(path, tail.end_of_file(_LOOK_BYTES))

    def read(self) -> Sequence[Reading]:
        """Connections now, and what the logs said since. Raises ProbeError.

        Where only the page fails, as it does when nginx has no connection left, what the logs say
        goes with the error.
        """
        readings: list[Reading] = []
        troubles: list[str] = []
        for part in (*(log.read for log in self._logs), self.page):
            try:
                readings += part()
            except ProbeError as error:
                troubles.append(str(error))
        if troubles and not readings:
            raise ProbeError("; ".join(troubles))
        if troubles:
            raise PartialError("; ".join(troubles), readings)
        return readings

    def page(self) -> Sequence[Reading]:
        """What the page says, without the connection that asked for it. Raises ProbeError."""
        self._reads += 1
        try:
            status = parse_page(self._fetch())
        except ValueError as error:
            raise ProbeError(
                f"{self._place} is not a stub_status page: put `stub_status;` into its location"
            ) from error
        return _readings(status, self._reads)

    def close(self) -> None:
        """Lets go of the logs."""
        for log in self._logs:
            log.tail.close()


def parse_page(body: bytes) -> Status:
    """The numbers of a page. Raises ValueError when it is none."""
    match = _PAGE.fullmatch(body)
    if match is None:
        raise ValueError("no stub_status")
    return Status(*map(int, match.groups()))


def _readings(status: Status, own: int) -> Sequence[Reading]:
    return (
        Reading("connections", "count", max(0, status.connections - 1)),
        Reading("reading", "count", status.reading),
        Reading("writing", "count", max(0, status.writing - 1)),
        Reading("waiting", "count", status.waiting),
        Reading("accepted", "1/s", status.accepted - own, counter=True),
        Reading("requests", "1/s", status.requests - own, counter=True),
        Reading("dropped", "1/s", max(0, status.accepted - status.handled), counter=True),
    )


def _remark(path: str, end: bytes) -> str | None:
    """What the access log will not tell, by the lines at its end."""
    lines = end.partition(b"\n")[2]
    says = [] if has_status(lines) else ["no status behind a quoted request"]
    says += [f"no {label}={VARIABLES[label]}" for label in missing_labels(lines)]
    return f"{path} has {', '.join(says)}: see the log_format in docs/probes.md" if says else None
