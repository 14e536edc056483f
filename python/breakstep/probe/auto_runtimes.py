"""What can be asked of a service besides its processes, by what program it is; each is tried first.

Only what needs no secret is tried. What does not open is named, with how to turn it on.
"""

import mmap
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from breakstep.model.errors import ProbeError
from breakstep.model.probe import ProbeKind, ProbeSpec
from breakstep.plan.host_port import format_host_port
from breakstep.plan.probes import label_for
from breakstep.probe.local_listeners import Listener
from breakstep.probe.process_files import read_bytes
from breakstep.probe.registry import open_probe
from breakstep.probe.services import Service

_NODE_PORT = 7891
_GO_BUILT = b"\xff Go buildinf:"
_GO_BYTES_MAX = 200_000_000
_POSTGRES_SOCKET = re.compile(r"(.*)/\.s\.PGSQL\.(\d+)")


@dataclass(frozen=True, slots=True)
class Runtime:
    """How to ask a kind of program. `places` are tried in order until one opens."""

    kind: ProbeKind
    places: Callable[[Service], Iterable[str]]
    remedy: str


@dataclass(frozen=True, slots=True)
class Tried:
    """A probe that opened, or why none did."""

    spec: ProbeSpec | None = None
    says: str | None = None


def try_runtime(service: Service) -> Iterator[Tried]:
    """The probe of the program that a service runs; none for one that has none of its own."""
    runtime = _runtime(service)
    if runtime is not None:
        yield _tried(service, runtime)


def _tried(service: Service, runtime: Runtime) -> Tried:
    why = ""
    for place in runtime.places(service):
        # By where the service is called: the place may hold more than anybody wants to read.
        label = label_for(runtime.kind, service.reached[0].where)
        spec = ProbeSpec(runtime.kind, place, label)
        try:
            open_probe(spec).close()
        except ProbeError as error:
            why = f" ({str(error).partition(chr(10))[0]})"
        else:
            return Tried(spec=spec)
    return Tried(says=f"{service.name} tells nothing of itself yet{why}: {runtime.remedy}")


def _runtime(service: Service) -> Runtime | None:
    # A program may call itself anything: `next-server` is node.
    names = service.name, _program(service.first)
    for start, runtime in _RUNTIMES.items():
        if any(name.startswith(start) for name in names):
            return runtime
    return _GO if _built_with_go(service.first) else None


def _program(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/exe").readlink().name
    except OSError:
        return ""


def _tcp_places(service: Service) -> list[str]:
    return [_at(one) for one in service.listeners if one.address is not None]


def _at(listener: Listener) -> str:
    address = listener.address
    here = address is None or address.is_unspecified
    return format_host_port("127.0.0.1" if here else str(address), listener.port)


def _nowhere(_service: Service) -> Iterator[str]:
    yield from ()


def _php_fpm(service: Service) -> Iterator[str]:
    # The status listener first: it answers while every worker is busy.
    for one in sorted(service.listeners, key=lambda one: one in service.reached):
        if one.address is None:
            yield f"fcgi+unix:{one.where}|/status"
        else:
            yield f"fcgi://{_at(one)}/status"


def _node(service: Service) -> Iterator[str]:
    environment = read_bytes(f"/proc/{service.first}/environ") or b""
    named = re.search(rb"(?:^|\0)BREAKSTEP_NODE_PORT=(\d+)(?:\0|$)", environment)
    port = int(named[1]) if named else _NODE_PORT
    if any(one.port == port for one in service.listeners):
        yield f"127.0.0.1:{port}"


def _postgres(service: Service) -> Iterator[str]:
    for one in service.listeners:
        match = _POSTGRES_SOCKET.fullmatch(one.where)
        if match:
            for user in ("", "postgres@"):
                yield f"postgresql://{user}/postgres?host={match[1]}&port={match[2]}"
    for place in _tcp_places(service):
        yield f"postgresql://postgres@{place}/postgres"


def _haproxy(service: Service) -> Iterator[str]:
    yield from (one.where for one in service.listeners if one.address is None)


def _go(service: Service) -> Iterator[str]:
    yield from (f"http://{place}/debug/vars" for place in _tcp_places(service))


def _built_with_go(pid: int) -> bool:
    with suppress(OSError, ValueError):
        path = Path(f"/proc/{pid}/exe")
        if path.stat().st_size > _GO_BYTES_MAX:
            return False
        with (
            path.open("rb") as program,
            mmap.mmap(program.fileno(), 0, prot=mmap.PROT_READ) as text,
        ):
            return text.find(_GO_BUILT) >= 0
    return False


_NGINX = Runtime(
    "nginx",
    _nowhere,
    "with stub_status in its configuration, add --probe nginx:URL",
)
_GO = Runtime(
    "go",
    _go,
    'import _ "expvar" in it and serve http.DefaultServeMux, on loopback, then it is found',
)
_REDIS = Runtime(
    "redis", _tcp_places, "add --probe redis:HOST:PORT with REDISCLI_AUTH set to its password"
)
_POSTGRES = Runtime(
    "postgres",
    _postgres,
    "add --probe postgres:postgresql://USER@HOST/DATABASE with PGPASSWORD set",
)
_RUNTIMES: Mapping[str, Runtime] = MappingProxyType(
    {
        "haproxy": Runtime(
            "haproxy", _haproxy, "write `stats socket /run/haproxy.sock level user` under global"
        ),
        "node": Runtime(
            "node", _node, 'start it with node --require "$(breakstep probe node-preload)" app.js'
        ),
        "php-fpm": Runtime(
            "php-fpm",
            _php_fpm,
            "set pm.status_path = /status and pm.status_listen = 127.0.0.1:9001 in its pool",
        ),
        "postgres": _POSTGRES,
        "postmaster": _POSTGRES,
        "redis-server": _REDIS,
        "valkey-server": _REDIS,
        "nginx": _NGINX,
        "pgbouncer": Runtime(
            "pgbouncer",
            _nowhere,
            "add --probe pgbouncer:postgresql://STATS_USER@HOST:PORT/pgbouncer",
        ),
    }
)
