"""Where labs live while they are up: a directory each, below one of ours.

…/breakstep-labs-UID/
    lock                      held while a lab is entered here, or one that died is cleaned up
    single-x7k2p0qa/
        name                  single/sweep
        supervisor.child      who looks after it
        app.log, app.log.child, …
"""

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from breakstep.lab.servers import record
from breakstep.lab.servers.record import Identity
from breakstep.model.errors import LabError

SUPERVISOR = "supervisor" + record.SUFFIX
_NAME = "name"
_OPEN_TO_PASS = 0o711
"""A server that root may not run is another user, who has to get to a directory of theirs."""


@dataclass(frozen=True, slots=True)
class Home:
    """The directory of one lab."""

    path: Path

    @property
    def name(self) -> str:
        """The lab's name; of its directory where none was written."""
        try:
            return (self.path / _NAME).read_text()
        except OSError:
            return self.path.name

    @property
    def supervisor(self) -> Identity | None:
        """Who looks after it; None if that was never written."""
        return record.read(self.path / SUPERVISOR)

    @property
    def alive(self) -> bool:
        """Whether somebody looks after it still."""
        return self.supervisor is not None and self.supervisor.alive()


@contextmanager
def lab_home(name: str, base: Path) -> Iterator[Path]:
    """A directory for one lab, thrown away at the end."""
    path = _enter(name, base)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def base_directory() -> Path:
    """The directory of all labs of this user. Raises LabError if it is somebody else's."""
    path = _where() / f"breakstep-labs-{os.geteuid()}"
    path.mkdir(mode=_OPEN_TO_PASS, exist_ok=True)
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise LabError(f"{path} is not ours: remove it, or set TMPDIR to another directory")
    path.chmod(_OPEN_TO_PASS)
    return path


def homes(base: Path) -> list[Home]:
    """Every lab there, up or left behind."""
    return [Home(path) for path in sorted(base.iterdir()) if path.is_dir() and _ours(path)]


@contextmanager
def locked(base: Path) -> Iterator[None]:
    """Nobody enters or cleans up meanwhile. The kernel lets go of it if we die."""
    with (base / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _enter(name: str, base: Path) -> Path:
    with locked(base):
        # Short: the path of a unix socket has 107 bytes at most.
        path = Path(tempfile.mkdtemp(prefix=f"{name.partition('/')[0]}-", dir=base))
        path.chmod(_OPEN_TO_PASS)
        (path / _NAME).write_text(name)
        identity = record.of_process(os.getpid())
        if identity is None:
            raise LabError("/proc does not show this very process: labs need a Linux /proc")
        record.write(path / SUPERVISOR, identity)
    return path


def _where() -> Path:
    """Not the run-time directory for root: nobody else may enter it."""
    own = os.environ.get("XDG_RUNTIME_DIR")
    if own and os.geteuid() != 0 and os.access(own, os.W_OK | os.X_OK):
        return Path(own)
    return Path(tempfile.gettempdir())


def _ours(path: Path) -> bool:
    return not path.is_symlink() and path.lstat().st_uid == os.geteuid()
