"""HAProxy's statistics, from its stats socket or the CSV of its stats page."""

from collections.abc import Callable, Sequence

from breakstep.model.errors import ProbeError
from breakstep.model.probe import ProbeSpec
from breakstep.plan.host_port import parse_host_port
from breakstep.plan.redact import redact_where
from breakstep.probe import http_get
from breakstep.probe.haproxy_stat import readings_of
from breakstep.probe.options import insecure, timeout_s
from breakstep.probe.reading import Reading
from breakstep.probe.stream import Address, connected

_LIMIT_BYTES = 4_000_000
_COMMAND = b"show stat\n"


def open_probe(spec: ProbeSpec) -> "Haproxy":
    """Reads the statistics once. Raises ProbeError."""
    probe = Haproxy(redact_where(spec.where), _fetch(spec))
    probe.read()
    return probe


class Haproxy:
    """An open probe; every read is a connection of its own."""

    def __init__(self, place: str, fetch: Callable[[], bytes]) -> None:
        self._place = place
        self._fetch = fetch

    def read(self) -> Sequence[Reading]:
        """Every frontend, backend and server now. Raises ProbeError."""
        try:
            return readings_of(self._fetch())
        except ValueError as error:
            raise ProbeError(
                f"{self._place} does not give HAProxy's statistics ({error}): write the path of"
                " its stats socket, or the URL of its `stats uri`"
            ) from error

    def close(self) -> None:
        """Nothing is held."""


def _fetch(spec: ProbeSpec) -> Callable[[], bytes]:
    wait_s = timeout_s(spec)
    if spec.where.startswith(("http://", "https://")):
        url = spec.where if ";csv" in spec.where else f"{spec.where};csv"
        unchecked = insecure(spec)
        return lambda: http_get.get(
            url, timeout_s=wait_s, insecure=unchecked, limit_bytes=_LIMIT_BYTES
        )
    address = _address(spec.where)
    return lambda: _show_stat(address, redact_where(spec.where), wait_s)


def _address(where: str) -> Address:
    path = where.removeprefix("unix:")
    if "/" in path:
        return path
    try:
        return parse_host_port(where)
    except ValueError as error:
        raise ProbeError(
            f"{redact_where(where)}: write the path of the stats socket, HOST:PORT of a stats"
            " socket on TCP, or a URL"
        ) from error


def _show_stat(address: Address, place: str, wait_s: float) -> bytes:
    received = bytearray()
    try:
        with connected(address, wait_s) as stream:
            stream.sendall(_COMMAND)
            while data := stream.receive():
                received += data
                if len(received) > _LIMIT_BYTES:
                    raise ProbeError(f"{place} sent more than {_LIMIT_BYTES} bytes")
    except TimeoutError as error:
        raise ProbeError(f"{place} did not answer within {wait_s:g} s") from error
    except OSError as error:
        raise ProbeError(_unreachable(place, error)) from error
    return bytes(received)


def _unreachable(place: str, error: OSError) -> str:
    if isinstance(error, ConnectionRefusedError | FileNotFoundError):
        return (
            f"nothing answers at {place}: is HAProxy running, and does its configuration have"
            f" `stats socket {place}`?"
        )
    if isinstance(error, PermissionError):
        return f"{place} may not be opened: run as its owner, or set the socket's user and mode"
    return f"{place} cannot be reached ({error.strerror or type(error).__name__})"
