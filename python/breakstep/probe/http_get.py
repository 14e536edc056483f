"""One GET of a status page: bounded in time and size whatever the server does.

Nothing is followed: no redirect, and no proxy of the environment, which would see another server
than the one meant.
"""

import socket
import ssl
import time
from base64 import b64encode
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException, HTTPResponse
from urllib.parse import SplitResult, quote, unquote, urlsplit

from breakstep.model.errors import ProbeError
from breakstep.plan.redact import redact_where
from breakstep.probe.stream import Stream, connect

LIMIT_BYTES = 1_000_000
_OK = 200
_URL_SAFE = "/?&=;:@!$'()*+,%~-._[]"


def get(
    url: str, *, timeout_s: float, insecure: bool = False, limit_bytes: int = LIMIT_BYTES
) -> bytes:
    """The body of a 200. Raises ProbeError for anything else, naming the URL without secrets.

    `timeout_s` bounds the whole of it, from connecting to the last byte. A user and password in
    the URL are sent as basic authentication.
    """
    place = redact_where(url)
    parts = _parts(url, place)
    deadline_s = time.monotonic() + timeout_s
    try:
        with _connect(parts, timeout_s, insecure=insecure) as plain:
            return _exchange(Stream(plain, deadline_s), parts, place, limit_bytes)
    except TimeoutError as error:
        raise ProbeError(f"{place} did not answer within {timeout_s:g} s") from error
    except ssl.SSLCertVerificationError as error:
        raise ProbeError(
            f"the certificate of {place} is not trusted ({error.verify_message});"
            " add insecure=yes if you know the server"
        ) from error
    except OSError as error:
        raise ProbeError(_unreachable(parts, place, error)) from error
    except (HTTPException, ValueError) as error:
        raise ProbeError(f"{place} does not answer in HTTP ({type(error).__name__})") from error


def _parts(url: str, place: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ProbeError(f"{place} is no URL: write http://HOST:PORT/PATH")
    return parts


def _connect(parts: SplitResult, timeout_s: float, *, insecure: bool) -> socket.socket:
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    plain = connect((host, port), timeout_s)
    if parts.scheme == "http":
        return plain
    try:
        return _tls(insecure=insecure).wrap_socket(plain, server_hostname=host)
    except BaseException:
        plain.close()
        raise


def _tls(*, insecure: bool) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _exchange(stream: Stream, parts: SplitResult, place: str, limit_bytes: int) -> bytes:
    connection = HTTPConnection(parts.hostname or "", parts.port)
    connection.sock = stream
    connection.request("GET", _path(parts), headers=_headers(parts))
    with connection.getresponse() as response:
        if response.status != _OK:
            raise ProbeError(_refused(response, place))
        body = response.read(limit_bytes + 1)
        if len(body) > limit_bytes:
            raise ProbeError(f"{place} sent more than {limit_bytes} bytes: is it the status page?")
        if response.length:
            raise ProbeError(f"{place} closed the connection before its answer was complete")
        return body


def _path(parts: SplitResult) -> str:
    path = quote(parts.path or "/", safe=_URL_SAFE)
    return f"{path}?{quote(parts.query, safe=_URL_SAFE)}" if parts.query else path


def _headers(parts: SplitResult) -> Mapping[str, str]:
    headers = {"Accept-Encoding": "identity", "Connection": "close", "User-Agent": "breakstep"}
    if parts.username is not None:
        user = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["Authorization"] = f"Basic {b64encode(user.encode()).decode()}"
    return headers


def _refused(response: HTTPResponse, place: str) -> str:
    says = f"{place} answered {response.status}"
    if response.status in {401, 403}:
        return f"{says}: allow this machine there, or write http://USER:PASSWORD@HOST/PATH"
    return f"{says}: is it the address of the status page?"


def _unreachable(parts: SplitResult, place: str, error: OSError) -> str:
    if isinstance(error, ConnectionRefusedError):
        where = parts.netloc.rpartition("@")[2]
        return f"nothing listens at {where} ({place}): is the server running?"
    if isinstance(error, ssl.SSLError):
        return f"{place}: no TLS connection ({error.reason or 'the server speaks no TLS'})"
    return f"{place} cannot be reached ({error.strerror or type(error).__name__})"
