"""Where an agent is, how to prove to it who we are, and how to be sure of it."""

import os
import socket
import ssl
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from breakstep.model.errors import ProbeError, TargetError
from breakstep.model.probe import ProbeSpec
from breakstep.plan.address import resolve
from breakstep.plan.host_port import all_loopback, format_host_port, parse_host_port

TOKEN_VARIABLE = "BREAKSTEP_AGENT_TOKEN"  # noqa: S105 - the name of it, not one


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The addresses of an agent's host, and what to say there. Without `tls` it is said plainly."""

    host: str
    port: int
    addresses: tuple[str, ...]
    token: str = field(repr=False)
    tls: ssl.SSLContext | None

    def __str__(self) -> str:
        return format_host_port(self.host, self.port)


def endpoint(spec: ProbeSpec, environment: Mapping[str, str] = os.environ) -> Endpoint:
    """The endpoint that a probe names. Raises ProbeError."""
    try:
        host, port = parse_host_port(spec.where)
        addresses = tuple(resolve(host, port))
    except (ValueError, TargetError) as error:
        raise ProbeError(str(error)) from error
    return Endpoint(host, port, addresses, _token(spec, environment), _tls(spec, addresses))


def connect(where: Endpoint, until_s: float) -> socket.socket:
    """A connection, TLS and all, by then on the monotonic clock. Raises ProbeError."""
    with _explained(where):
        plain = _first_that_answers(where, until_s)
    if where.tls is None:
        return plain
    try:
        plain.settimeout(_left_s(until_s))
        with _tls_explained(where):
            return where.tls.wrap_socket(plain, server_hostname=where.host)
    except BaseException:
        plain.close()
        raise


def _token(spec: ProbeSpec, environment: Mapping[str, str]) -> str:
    token = spec.option("token") or environment.get(TOKEN_VARIABLE, "")
    if not token:
        raise ProbeError(
            "it answers nobody without its token: add token=… or, so that no list of processes "
            f"shows it, set {TOKEN_VARIABLE}"
        )
    if not token.isascii() or not token.isprintable() or " " in token:
        raise ProbeError("a token is printable ASCII without spaces: was it pasted whole?")
    return token


def _tls(spec: ProbeSpec, addresses: Sequence[str]) -> ssl.SSLContext | None:
    plain, ca_file = spec.option("plain"), spec.option("cacert")
    if plain not in {None, "yes", "no"}:
        raise ProbeError(f"plain={plain}: write plain=yes or plain=no")
    if plain == "yes" and ca_file:
        raise ProbeError("plain=yes and cacert contradict each other: leave one out")
    if plain == "yes" or (plain is None and not ca_file and all_loopback(addresses)):
        return None
    try:
        return ssl.create_default_context(cafile=ca_file)
    except OSError as error:
        raise ProbeError(f"cacert={ca_file}: {error.strerror or error}; is it PEM?") from error


def _first_that_answers(where: Endpoint, until_s: float) -> socket.socket:
    trouble: OSError = TimeoutError()
    for address in where.addresses:
        try:
            return socket.create_connection((address, where.port), timeout=_left_s(until_s))
        except OSError as error:
            trouble = error
    raise trouble


def _left_s(until_s: float) -> float:
    return max(0.001, until_s - time.monotonic())


@contextmanager
def _explained(where: Endpoint) -> Iterator[None]:
    try:
        yield
    except ConnectionRefusedError as error:
        raise ProbeError(
            f"nothing listens at {where}: does `breakstep agent` run there, with --listen on an "
            "address that is reached from here?"
        ) from error
    except TimeoutError as error:
        raise ProbeError(f"no answer from {where}: does a firewall stand between?") from error
    except OSError as error:
        raise ProbeError(f"cannot reach {where}: {error.strerror or error}") from error


@contextmanager
def _tls_explained(where: Endpoint) -> Iterator[None]:
    try:
        yield
    except ssl.SSLCertVerificationError as error:
        raise ProbeError(
            f"the certificate of {where} is not trusted ({error.verify_message}): give the file "
            "that the agent has as --cert, or its authority, as cacert=FILE"
        ) from error
    except OSError as error:
        raise ProbeError(
            f"no TLS with {where}: was the agent started with --cert and --key? If nobody can "
            "listen in between, plain=yes does without"
        ) from error
