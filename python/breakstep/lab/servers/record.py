"""What is written down of a child, so that one that was left behind can be told from a stranger.

A process id may be given anew; the id with the time of its start may not until the next boot, and
that is written down too. `MARKER` stands in the child's environment besides.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from breakstep.probe.process_files import read_process

MARKER = "BREAKSTEP_LAB_CHILD"
"""Holds the directory of the child's log."""
SUFFIX = ".child"
_BOOT = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True)
class Identity:
    """A process for good: its id, when it began in ticks since boot, and which boot."""

    pid: int
    started: int
    boot: str

    def alive(self) -> bool:
        """Whether that very process runs still."""
        return of_process(self.pid) == self


def of_process(pid: int) -> Identity | None:
    """Who has this id now; None if nobody has, or only a zombie."""
    stat = read_process("/proc", pid)
    if stat is None or stat.state == "Z":
        return None
    return Identity(pid, stat.started, _BOOT.read_text().strip())


@contextmanager
def recorded(pid: int, log: Path) -> Iterator[None]:
    """Keeps the record of a child beside its log for as long as it is ours."""
    path = log.with_name(log.name + SUFFIX)
    identity = of_process(pid)
    if identity is not None:
        write(path, identity)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def write(path: Path, identity: Identity) -> None:
    """Writes an identity so that a reader sees all of it or nothing."""
    part = path.with_name(path.name + ".part")
    # The directory may belong to the server's user: what lies there already is not written through.
    with part.open("x") as file:
        file.write(json.dumps(asdict(identity)))
    part.replace(path)


def read(path: Path) -> Identity | None:
    """The identity in a file; None where there is none that can be read."""
    try:
        found = json.loads(path.read_text())
        return Identity(int(found["pid"]), int(found["started"]), str(found["boot"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
