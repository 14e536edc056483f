"""For servers that root may not run: another user, and a directory of theirs."""

import os
import pwd
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from breakstep.lab.servers.programs import program
from breakstep.model.errors import LabError

_USERS = ("postgres", "nobody")


@dataclass(frozen=True, slots=True)
class Unprivileged:
    """`prefix` goes before a command; `home` is a short path that its user may write to."""

    home: Path
    prefix: Sequence[str]


@contextmanager
def unprivileged(within: Path | None = None) -> Iterator[Unprivileged]:
    """A directory that is thrown away, and how to run a command as its user, who is not root.

    The directory is made in `within`, which that user must be able to enter.
    """
    prefix = "breakstep-" if within is None else "own-"
    with tempfile.TemporaryDirectory(prefix=prefix, dir=within) as folder:
        if os.geteuid() != 0:
            yield Unprivileged(Path(folder), ())
            return
        user = _user()
        os.chown(folder, user.pw_uid, user.pw_gid)
        # The kernel forgets the signal of our death where the user changes: it is set anew.
        ids = [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        command = (program("setpriv"), *ids, "--pdeathsig", "keep", "--")
        yield Unprivileged(Path(folder), command)


def _user() -> pwd.struct_passwd:
    names = {user.pw_name: user for user in pwd.getpwall()}
    for name in _USERS:
        if name in names:
            return names[name]
    raise LabError(f"root may not run this server, and there is no user {' or '.join(_USERS)}")
