"""What a lab left behind whose supervisor was killed, and nothing else.

The kernel has told its children to stop by then (`servers/process.py`). One that lives still is
ended if it is, beyond doubt, ours:

    a process     is who its record says: id, start and boot
    its group     has the id of a recorded process, began no earlier, and carries our marker in its
                  environment; a server that wrote its title over the environment has none to show

A record counts only if it belongs to this user.
"""

import os
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from breakstep.lab.home import SUPERVISOR, homes, locked
from breakstep.lab.servers import record
from breakstep.lab.servers.record import MARKER, Identity
from breakstep.probe.process_files import process_ids

_PATIENCE_S = 3.0
_LOOK_S = 0.05


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A lab that was left behind, and how many of its processes ran still."""

    name: str
    processes: int


def clean(base: Path) -> list[Cleaned]:
    """Ends and removes what labs left whose supervisor is gone."""
    with locked(base):
        return [Cleaned(home.name, _remove(home.path)) for home in homes(base) if not home.alive]


def stop(identity: Identity, number: signal.Signals) -> None:
    """Sends a signal to that very process; if it is gone, to nobody."""
    with suppress(ProcessLookupError, PermissionError):
        handle = os.pidfd_open(identity.pid)
        try:
            # Whoever has the id now keeps it while the handle is open.
            if identity.alive():
                signal.pidfd_send_signal(handle, number)
        finally:
            os.close(handle)


def gone(identities: list[Identity], within_s: float) -> bool:
    """Waits until they have all ended."""
    give_up = time.monotonic() + within_s
    while any(identity.alive() for identity in identities):
        if time.monotonic() > give_up:
            return False
        time.sleep(_LOOK_S)
    return True


def _remove(path: Path) -> int:
    left = list(_left(path))
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
        # PostgreSQL waits for its clients after the first, and not after the second.
        for identity in left:
            stop(identity, number)
        if gone(left, _PATIENCE_S):
            break
    shutil.rmtree(path, ignore_errors=True)
    return len(left)


def _left(path: Path) -> Iterator[Identity]:
    recorded = [found for file in path.rglob(f"*{record.SUFFIX}") if (found := _trusted(file))]
    for leader in recorded:
        if leader.alive():
            yield leader
        yield from _group(leader, path)


def _trusted(file: Path) -> Identity | None:
    status = file.lstat()
    if file.name == SUPERVISOR or file.is_symlink() or status.st_uid != os.geteuid():
        return None
    return record.read(file)


def _group(leader: Identity, path: Path) -> Iterator[Identity]:
    for pid in process_ids("/proc"):
        with suppress(ProcessLookupError):
            if pid == leader.pid or os.getpgid(pid) != leader.pid:
                continue
            found = record.of_process(pid)
            if found and _after(leader, found) and _marked(pid, path):
                yield found


def _after(leader: Identity, found: Identity) -> bool:
    return found.boot == leader.boot and found.started >= leader.started


def _marked(pid: int, path: Path) -> bool:
    try:
        environment = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False
    if b"PATH=" not in environment:
        return True
    return f"{MARKER}={path}".encode() in environment
