"""A network namespace of our own, joined to this one by a pair of virtual interfaces."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

_AS_ROOT = () if os.geteuid() == 0 else ("sudo", "-n")


@dataclass(frozen=True, slots=True)
class Namespace:
    """Another network. `address_there` is reached from here, by way of `address_here`."""

    name: str
    address_here: str
    address_there: str

    @property
    def inside(self) -> tuple[str, ...]:
        """What goes before a command that is to run in there."""
        return (*_AS_ROOT, "ip", "netns", "exec", self.name)


@contextmanager
def namespace() -> Iterator[Namespace]:
    """Makes one, named after this process, and takes it away by name.

    Raises RuntimeError with the kernel's words if it may not be made.
    """
    name = f"breakstep-{os.getpid()}"
    # A name of an interface has 15 characters at most.
    here, there = f"bs{os.getpid()}h", f"bs{os.getpid()}t"
    # RFC 2544 sets these addresses aside for measuring networks.
    block = 4 * (os.getpid() % 16_384)
    made = Namespace(
        name=name,
        address_here=f"198.18.{block // 256}.{block % 256 + 1}",
        address_there=f"198.18.{block // 256}.{block % 256 + 2}",
    )
    _ip("netns", "add", name)
    try:
        _ip("link", "add", here, "type", "veth", "peer", "name", there, "netns", name)
        _ip("addr", "add", f"{made.address_here}/30", "dev", here)
        _ip("link", "set", here, "up")
        _ip("-n", name, "addr", "add", f"{made.address_there}/30", "dev", there)
        _ip("-n", name, "link", "set", there, "up")
        _ip("-n", name, "link", "set", "lo", "up")
        yield made
    finally:
        # The interfaces in it go with it, and so do their ends here.
        _ip("netns", "del", name)


def _ip(*words: str) -> None:
    command = [*_AS_ROOT, "ip", *words]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {ended.stderr.strip()}")
