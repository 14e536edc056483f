"""For servers that root may not run: another user, and a directory of theirs."""

import os
import pwd
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_USERS = ("postgres", "nobody")


@dataclass(frozen=True, slots=True)
class Unprivileged:
    """`prefix` goes before a command; `home` is a short path that its user may write to."""

    home: Path
    prefix: Sequence[str]


@contextmanager
def unprivileged() -> Iterator[Unprivileged]:
    """A directory that is thrown away, and how to run a command as its user, who is not root."""
    with tempfile.TemporaryDirectory(prefix="breakstep-") as folder:
        if os.geteuid() != 0:
            yield Unprivileged(Path(folder), ())
            return
        user = _user()
        os.chown(folder, user.pw_uid, user.pw_gid)
        ids = [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        yield Unprivileged(Path(folder), (_program("setpriv"), *ids))


def _user() -> pwd.struct_passwd:
    names = {user.pw_name: user for user in pwd.getpwall()}
    return next(names[name] for name in _USERS if name in names)


def _program(name: str) -> str:
    program = shutil.which(name)
    if program is None:
        raise RuntimeError(f"{name} is not installed: run `make system`")
    return program
