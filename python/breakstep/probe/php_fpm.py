"""The pool of a php-fpm, by its status page: over HTTP, or over FastCGI with no web server.

Every read is a connection of its own: a kept FastCGI connection would hold a worker.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from secrets import token_hex
from urllib.parse import urlsplit

from breakstep.model.errors import ProbeError
from breakstep.model.probe import ProbeSpec
from breakstep.plan.redact import redact_where
from breakstep.probe import http_get
from breakstep.probe.fastcgi import Answer, Page, encode_get
from breakstep.probe.options import insecure, timeout_s
from breakstep.probe.php_fpm_status import Status, parse_status
from breakstep.probe.reading import Reading
from breakstep.probe.stream import Address, connected

_LIMIT_BYTES = 1_000_000
_PATH = "/status"
_PORT = 9000
_OK = 200

Fetch = Callable[[str], bytes]
"""The body of the status page for a query, such as `json`. Raises ProbeError."""


def open_probe(spec: ProbeSpec) -> "PhpFpm":
    """Reads the status once. Raises ProbeError."""
    place, fetch = redact_where(spec.where), _fetch(spec)
    status = _status(fetch("json"), place)
    # The full page lists the request of every worker: ours among them, if one of them answers.
    token = token_hex(8)
    own = token.encode() in fetch(f"json&full&breakstep={token}")
    return PhpFpm(place, fetch, own=own, remark=_remark(status, own=own))


class PhpFpm:
    """An open probe. With `own` a worker of the pool answers, and is taken off its counts."""

    def __init__(self, place: str, fetch: Fetch, *, own: bool, remark: str | None) -> None:
        self._place = place
        self._fetch = fetch
        self._own = own
        self.remark = remark
        self._requests = 0

    def read(self) -> Sequence[Reading]:
        """The pool now. Raises ProbeError."""
        self._requests += 1
        status = _status(self._fetch("json"), self._place)
        return _readings(status.without_own(self._requests) if self._own else status)

    def close(self) -> None:
        """Nothing is held."""


def _readings(status: Status) -> Sequence[Reading]:
    return (
        Reading("active", "processes", status.active),
        Reading("idle", "processes", status.idle),
        Reading("workers", "processes", status.workers),
        Reading("queue", "connections", status.queue),
        Reading("queue_limit", "connections", status.queue_limit),
        Reading("accepted", "1/s", status.accepted, counter=True),
        Reading("slow", "1/s", status.slow, counter=True),
        Reading("max_children_reached", "count", status.max_children_reached),
    )


def _remark(status: Status, *, own: bool) -> str | None:
    notes = []
    if status.queue_limit == 0:
        notes.append(
            "the pool listens on a unix socket, which does not tell its queue:"
            " queue reads 0 whatever waits there, --probe listen:/PATH/TO/IT asks the kernel"
        )
    if status.manager == "static":
        notes.append(
            "with pm = static max_children_reached stays 0 however busy the pool is:"
            " compare active with workers"
        )
    if own:
        notes.append(
            "the status page is answered by the pool's own workers and falls silent when all are"
            " busy: set pm.status_listen and point the probe at it"
        )
    return "; ".join(notes) or None


def _status(body: bytes, place: str) -> Status:
    try:
        return parse_status(body)
    except ValueError as error:
        raise ProbeError(
            f"{place} is not the status page of php-fpm ({error}): is pm.status_path set to this"
            " path, and does the web server pass it on?"
        ) from error


def _fetch(spec: ProbeSpec) -> Fetch:
    wait_s = timeout_s(spec)
    if spec.where.startswith(("http://", "https://")):
        url = spec.where + ("&" if "?" in spec.where else "?")
        unchecked = insecure(spec)
        return lambda query: http_get.get(url + query, timeout_s=wait_s, insecure=unchecked)
    address, path = _address(spec.where)
    return FastCgi(redact_where(spec.where), address, path, wait_s)


def _address(where: str) -> tuple[Address, str]:
    if where.startswith("fcgi+unix:/"):
        file, _, path = where.removeprefix("fcgi+unix:").partition("|")
        return file, path or _PATH
    try:
        parts = urlsplit(where)
        if parts.scheme == "fcgi" and parts.hostname:
            return (parts.hostname, parts.port or _PORT), parts.path.rstrip("/") or _PATH
    except ValueError:
        pass
    raise ProbeError(
        f"{redact_where(where)} names no status page: write fcgi://HOST:PORT/status,"
        " fcgi+unix:/run/php.sock|/status or http://HOST/status"
    )


@dataclass(frozen=True, slots=True)
class FastCgi:
    """Fetches a page from php-fpm itself."""

    place: str
    address: Address
    path: str
    wait_s: float

    def __call__(self, query: str) -> bytes:
        """The body of the page. Raises ProbeError."""
        try:
            page = self._ask(encode_get(self.path, query))
        except TimeoutError as error:
            raise ProbeError(
                f"{self.place} did not answer within {self.wait_s:g} s: if every worker is busy,"
                " point the probe at pm.status_listen, which answers then too"
            ) from error
        except OSError as error:
            raise ProbeError(self._unreachable(error)) from error
        except ValueError as error:
            raise ProbeError(f"{self.place}: {error}; is php-fpm listening there?") from error
        if page.status != _OK:
            raise ProbeError(
                f"php-fpm has no status page at {self.path} (it answered {page.status}):"
                f" set pm.status_path = {self.path} in the pool and reload it"
            )
        return page.body

    def _ask(self, request: bytes) -> Page:
        answer = Answer(_LIMIT_BYTES)
        with connected(self.address, self.wait_s) as stream:
            stream.sendall(request)
            while not answer.ended:
                data = stream.receive()
                if not data:
                    raise ValueError(
                        "it closed the connection without an answer"
                        " (listen.allowed_clients may leave this machine out)"
                    )
                answer.feed(data)
        return answer.page()

    def _unreachable(self, error: OSError) -> str:
        if isinstance(error, ConnectionRefusedError | FileNotFoundError):
            return (
                f"nothing answers at {self.place}: is php-fpm running, and do listen or"
                " pm.status_listen name this address?"
            )
        if isinstance(error, PermissionError):
            return f"{self.place} may not be opened: run as a user of the socket's listen.group"
        return f"{self.place} cannot be reached ({error.strerror or type(error).__name__})"
