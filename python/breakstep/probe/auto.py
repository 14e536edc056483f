"""`--probe auto`: finds the services behind a target on this machine, and what to read of them."""

import socket
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from ipaddress import ip_address
from itertools import islice

from breakstep.engine.host.cgroup import cpu_paths, quota
from breakstep.model.errors import ProbeError
from breakstep.model.probe import ProbeKind, ProbeSpec
from breakstep.model.units import NS_PER_S
from breakstep.plan.probes import label_for
from breakstep.probe.auto_runtimes import try_runtime
from breakstep.probe.cgroup_places import find_group
from breakstep.probe.local_listeners import Address, Listener, local_address, unix_listeners
from breakstep.probe.new_connections import Poke, called_by_each
from breakstep.probe.process_files import read_bytes
from breakstep.probe.services import Chain, Look, Service, look

_SHOWN = 8
_PROXY_OF_DOCKER = "docker-proxy"
_ELSEWHERE = "run `breakstep agent` there and name it with --probe agent:HOST:PORT"


@dataclass(frozen=True, slots=True)
class Detected:
    """What to probe, and in words what was found and what could not be turned on."""

    specs: tuple[ProbeSpec, ...]
    says: tuple[str, ...]


def detect(
    host: str, port: int, unix_socket: str | None = None, *, poke: Poke | None = None
) -> Detected:
    """The probes of a target on this machine.

    Without `poke` only those services are found that are connected to one another at this moment.
    Raises ProbeError when nothing on this machine listens there.
    """
    try:
        at = look()
        targets = _listening(at, host, port, unix_socket)
        chain = Chain()
        chain.follow(targets, at)
        if poke is not None:
            called = called_by_each(poke, at.listeners, lambda: chain.follow(targets, look()))
            chain.follow((*targets, *called), look())
    except OSError as error:
        raise ProbeError(
            f"--probe auto asks the kernel who is connected to whom, and it does not tell: {error}"
        ) from error
    return _described(chain, targets)


def _listening(at: Look, host: str, port: int, unix_socket: str | None) -> list[Listener]:
    if unix_socket is not None:
        found = unix_listeners(unix_socket)
        place = unix_socket
    else:
        addresses = [address for address in _addresses(host, port) if local_address(address)]
        if not addresses:
            raise ProbeError(
                f"--probe auto needs a target on this machine, and {host} is none of its"
                f" addresses: {_ELSEWHERE}"
            )
        found = [one for one in at.listeners if any(one.takes(own, port) for own in addresses)]
        place = f"port {port}"
    if not found:
        raise ProbeError(
            f"--probe auto: nobody listens on {place} in this network namespace, though it may be"
            f" answered from another, such as a container's: {_ELSEWHERE}"
        )
    return found


def _addresses(host: str, port: int) -> Iterator[Address]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise ProbeError(f"--probe auto cannot find {host}: {error}") from error
    for *_, address in found:
        yield ip_address(str(address[0]).partition("%")[0])


def _described(chain: Chain, targets: Sequence[Listener]) -> Detected:
    services = _named(chain)
    tried = [found for one in services.values() for found in try_runtime(one)]
    reached = (listener for one in services.values() for listener in one.reached)
    own = dict.fromkeys(listener.where for listener in targets)
    others = dict.fromkeys(one.where for one in reached if one.where not in own)
    groups = dict.fromkeys(group for one in services.values() for group in _limited(one.first))
    specs = (
        _spec("host", ""),
        *(_spec("listen", where) for where in own),
        # The kernel walks all its connections for each: half as often does further back.
        *(replace(_spec("listen", where), every_ns=NS_PER_S) for where in others),
        *(_process(name, service) for name, service in services.items()),
        *(_spec("cgroup", group) for group in groups),
        *(found.spec for found in tried if found.spec is not None),
    )
    says = (
        *(_says(service) for service in services.values()),
        *_unseen(chain),
        *(found.says for found in tried if found.says is not None),
    )
    return Detected(specs, says)


def _named(chain: Chain) -> Mapping[str, Service]:
    """The services by name; of several alike each with the place where it listens."""
    count = Counter(service.name for service in chain.services.values())
    return {
        one.name if count[one.name] == 1 else f"{one.name}-{one.reached[0].where}": one
        for one in chain.services.values()
    }


def _spec(kind: ProbeKind, where: str) -> ProbeSpec:
    return ProbeSpec(kind, where, label_for(kind, where))


def _process(name: str, service: Service) -> ProbeSpec:
    # By where it listens, not by its id: a restart between two runs is followed.
    return ProbeSpec("process", f"listen:{service.reached[0].where}", f"process:{name}")


def _limited(pid: int) -> Iterator[str]:
    """The control group of a process, if it or one above it has a CPU limit."""
    text = (read_bytes(f"/proc/{pid}/cgroup") or b"").decode("utf-8", "replace")
    for path in dict.fromkeys(path for _, path in cpu_paths(text)):
        with suppress(ProbeError):
            if any(quota(level) is not None for level in find_group(path).cpu):
                yield path


def _says(service: Service) -> str:
    places = ", ".join(listener.where for listener in service.reached)
    says = f"found {service.name} (process {service.first}) at {places}"
    if service.name == _PROXY_OF_DOCKER:
        return f"{says}, which hands everything on into a container: {_ELSEWHERE}"
    return says


def _unseen(chain: Chain) -> Iterator[str]:
    for where in sorted(chain.hidden):
        yield (
            f"who listens at {where} is hidden from this user, or is breakstep itself: run it as"
            " root, or as the user of that service, to see its processes"
        )
    for place, name in islice(chain.elsewhere.items(), _SHOWN):
        yield f"{name} calls {place}, which is on another machine: {_ELSEWHERE}"
