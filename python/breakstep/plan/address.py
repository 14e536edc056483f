"""From a URL to a Target: parsed, resolved once, and allowed."""

import ipaddress
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import SplitResult, quote, urlsplit

from breakstep.model.errors import TargetError
from breakstep.plan.redact import redact_faulty_url

Resolver = Callable[[str, int], Sequence[str]]

# Loopback, RFC 1918 and RFC 4193: where a load can only meet its own. Link-local is left out,
# because cloud metadata services live there.
_OWN = tuple(
    ipaddress.ip_network(network)
    for network in (
        "127.0.0.0/8",
        "10.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "::1",
        "fc00::/7",
    )
)
_PATH_SAFE = "/?:@!$&'()*+,;=-._~%[]|^`{}\"<>\\"


@dataclass(frozen=True, slots=True)
class Url:
    """The parts of a URL that a request needs. `user` and `password` are decoded by the caller."""

    url: str
    tls: bool
    host: str
    port: int
    path: str
    userinfo: str | None


def parse_url(text: str) -> Url:
    """The parts of `http://…` or `https://…`; `host:port/path` is taken as http.

    Raises ValueError with the remedy.
    """
    text = text.strip()
    full = text if "://" in text else f"http://{text}"
    shown = repr(redact_faulty_url(text))
    # What urlsplit says is not passed on: it may quote a password.
    try:
        parts = urlsplit(full)
    except ValueError:
        raise ValueError(
            f"{shown} is not a URL: write http://HOST:PORT/ or http://[::1]/"
        ) from None
    if parts.scheme not in ("http", "https"):
        raise ValueError(f"{shown}: {parts.scheme}:// is not spoken here; use http:// or https://")
    if not parts.hostname or any(c.isspace() for c in parts.netloc):
        raise ValueError(f"{shown} names no host: write http://HOST:PORT/path")
    return _url(parts, _port(parts, shown))


def resolve(host: str, port: int) -> Sequence[str]:
    """The IP addresses of a host, in the system's order. Raises TargetError."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise TargetError(
            f"cannot resolve {host!r}: {getattr(error, 'strerror', None) or error}; "
            "check the spelling, or give the IP address"
        ) from error
    return tuple(dict.fromkeys(str(info[4][0]) for info in found))


def is_own(address: str) -> bool:
    """Whether an IP address is loopback or private.

    >>> is_own("127.0.0.1"), is_own("192.168.1.9"), is_own("8.8.8.8")
    (True, True, False)
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    mapped = getattr(ip, "ipv4_mapped", None)
    return any((mapped or ip) in network for network in _OWN)


def authorisation_fault(
    host: str, addresses: Sequence[str], authorized: Sequence[str]
) -> str | None:
    """Why load on this host is not allowed, or None."""
    foreign = [address for address in addresses if not is_own(address)]
    if not foreign or host in authorized:
        return None
    shown = "" if foreign == [host] else f" ({foreign[0]})"
    return (
        f"{host}{shown} is not a loopback or private address: load on other people's machines "
        f"needs their consent; if you have it, add --authorized {host}"
    )


def _port(parts: SplitResult, shown: str) -> int | None:
    try:
        port = parts.port
    except ValueError:
        port = 0
    if port == 0:
        raise ValueError(f"{shown}: a port is a number from 1 to 65535")
    return port


def _ascii(host: str) -> str:
    """The name as DNS and the Host header carry it."""
    try:
        return host.encode("idna").decode()
    except UnicodeError:
        # Resolving it will say why it is no name.
        return host


def _url(parts: SplitResult, port: int | None) -> Url:
    tls = parts.scheme == "https"
    host = _ascii(parts.hostname or "")
    port = port or (443 if tls else 80)
    path = quote(parts.path or "/", safe=_PATH_SAFE)
    query = f"?{quote(parts.query, safe=_PATH_SAFE)}" if parts.query else ""
    userinfo, _, netloc = parts.netloc.rpartition("@")
    shown = f"{parts.scheme}://{netloc}{path}{query}"
    return Url(shown, tls, host, port, path + query, userinfo or None)
