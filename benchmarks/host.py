"""The cores to measure on, and the programs that are compiled for it."""

import os
import resource
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
OUT = HERE / "out"


class HostError(Exception):
    """A benchmark cannot run on this host; the message says what it lacks."""


@dataclass(frozen=True, slots=True)
class Cores:
    """The core of the server and the core of the generator."""

    server: int
    generator: int

    @property
    def shared(self) -> bool:
        """Whether both have to live on one core, which makes every figure worse."""
        return self.server == self.generator


def choose_cores() -> Cores:
    """The first two cores this process may use, or one for both."""
    allowed = sorted(os.sched_getaffinity(0))
    return Cores(server=allowed[0], generator=allowed[min(1, len(allowed) - 1)])


def pinned(core: int, command: list[str]) -> list[str]:
    """The command, bound to a core."""
    return [find("taskset"), "--cpu-list", str(core), *command]


def find(program: str) -> str:
    """Path of a program. Raises HostError with the remedy."""
    path = shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
    if path is None:
        raise HostError(f"{program} is not installed: run `make system`")
    return path


def compiled(name: str) -> str:
    """Path of a C program of this directory, compiled if its source is newer."""
    source, binary = HERE / f"{name}.c", OUT / name
    OUT.mkdir(exist_ok=True)
    if not binary.exists() or binary.stat().st_mtime < source.stat().st_mtime:
        subprocess.run([find("gcc"), "-O2", "-Wall", "-o", str(binary), str(source)], check=True)
    return str(binary)


def allow_descriptors(wanted: int) -> None:
    """Raises the soft limit on open files, which children inherit. HostError if it cannot."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft >= wanted:
        return
    if hard != resource.RLIM_INFINITY and hard < wanted:
        raise HostError(f"{wanted} open files are needed and the hard limit is {hard}: ulimit -Hn")
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
