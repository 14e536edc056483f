"""From the flags of `agent` to an AgentPlan; every fault is listed at once."""

import secrets
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

from breakstep.model.errors import PlanError, TargetError
from breakstep.model.probe import ProbeSpec
from breakstep.plan.address import Resolver, resolve
from breakstep.plan.host_port import all_loopback, parse_host_port
from breakstep.plan.probes import parse_probe

LISTEN = "127.0.0.1:7890"
PROBES_MAX = 64
TOKEN_MIN = 16
TOKEN_MAX = 256
TOKEN_BYTES = 24

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AgentFlags:
    """What the user asked for; None where nothing was said. `token` is that of the environment."""

    probe: Sequence[str] = ()
    listen: str = LISTEN
    token: str | None = field(default=None, repr=False)
    token_file: str | None = None
    cert: str | None = None
    key: str | None = None
    plain: bool = False


@dataclass(frozen=True, slots=True)
class AgentPlan:
    """What an agent reads, where it listens and to whom it speaks. Without `tls` it does plainly.

    `token_made` says that nobody knows the token yet.
    """

    probes: tuple[ProbeSpec, ...]
    host: str
    port: int
    token: str = field(repr=False)
    token_made: bool
    tls: ssl.SSLContext | None


def agent_from_flags(flags: AgentFlags, resolver: Resolver = resolve) -> AgentPlan:
    """The agent that the flags describe. Raises PlanError with every fault."""
    faults: list[str] = []
    probes = _probes(flags, faults)
    host, port, loopback = _listen(flags, resolver, faults)
    token = _token(flags, loopback=loopback, faults=faults)
    tls = _tls(flags, loopback=loopback, faults=faults)
    if faults:
        raise PlanError(faults)
    made = secrets.token_urlsafe(TOKEN_BYTES)
    return AgentPlan(probes, host, port, token or made, token is None, tls)


def _tried(place: str, faults: list[str], read: Callable[[], T]) -> T | None:
    try:
        return read()
    except (ValueError, TargetError) as error:
        faults.append(f"{place}: {error}")
    except OSError as error:
        faults.append(f"{place}: {error.strerror or error}")
    return None


def _probes(flags: AgentFlags, faults: list[str]) -> tuple[ProbeSpec, ...]:
    given = [_tried("--probe", faults, partial(_probe, text)) for text in flags.probe]
    probes = tuple(spec for spec in given if spec is not None)
    labels = [spec.label for spec in probes]
    faults += [
        f"--probe: {label} is there twice: give one of them a name="
        for label in sorted({label for label in labels if labels.count(label) > 1})
    ]
    if not flags.probe:
        faults.append("--probe: an agent reads what it is told to, so name it: --probe host")
    if len(probes) > PROBES_MAX:
        faults.append(f"--probe: at most {PROBES_MAX}")
    return probes


def _probe(text: str) -> ProbeSpec:
    spec = parse_probe(text)
    if spec.kind == "auto":
        raise ValueError("an agent has no target to look for: name the probes one by one")
    if spec.kind == "agent":
        raise ValueError("an agent reads its own machine: let breakstep ask the other one itself")
    return spec


def _listen(flags: AgentFlags, resolver: Resolver, faults: list[str]) -> tuple[str, int, bool]:
    place = _tried("--listen", faults, lambda: parse_host_port(flags.listen))
    addresses = place and _tried("--listen", faults, lambda: resolver(*place))
    if not place or not addresses:
        return "", 0, True
    return addresses[0], place[1], all_loopback(addresses)


def _token(flags: AgentFlags, *, loopback: bool, faults: list[str]) -> str | None:
    path = flags.token_file
    text = flags.token if path is None else _tried("--token-file", faults, Path(path).read_text)
    if text is None:
        if path is None and not loopback:
            faults.append(
                f"--listen {flags.listen}: others reach it, so they need a token that you know: "
                "--token-file FILE or BREAKSTEP_AGENT_TOKEN"
            )
        return None
    place = "BREAKSTEP_AGENT_TOKEN" if path is None else "--token-file"
    return _tried(place, faults, lambda: _checked(text.strip()))


def _checked(token: str) -> str:
    if not TOKEN_MIN <= len(token) <= TOKEN_MAX:
        raise ValueError(
            f"a token has {TOKEN_MIN} to {TOKEN_MAX} characters: `openssl rand -hex 16` makes one"
        )
    if not token.isascii() or not token.isprintable() or " " in token:
        raise ValueError("a token is printable ASCII without spaces")
    return token


def _tls(flags: AgentFlags, *, loopback: bool, faults: list[str]) -> ssl.SSLContext | None:
    if flags.cert is None and flags.key is None:
        if not loopback and not flags.plain:
            faults.append(
                f"--listen {flags.listen}: others could read the token on its way: give --cert and "
                "--key, or say --plain if nobody can listen in between"
            )
        return None
    if flags.cert is None or flags.key is None:
        faults.append("--cert and --key go together")
        return None
    if flags.plain:
        faults.append("--plain goes without --cert and --key")
    return _tried("--cert, --key", faults, partial(_context, flags.cert, flags.key))


def _context(cert: str, key: str) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    # An empty password instead of a prompt that nobody would see.
    context.load_cert_chain(cert, key, password="")
    return context
