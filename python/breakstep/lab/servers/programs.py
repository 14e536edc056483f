"""Where the servers' programs are, or what to do where they are missing."""

import os
import shutil
from pathlib import Path

from breakstep.model.errors import LabError

SETUP = "run `breakstep lab setup`, or `make lab-setup` in a checkout"
_SYSTEM = ("/usr/sbin", "/sbin", "/usr/local/sbin")
_POSTGRES = Path("/usr/lib/postgresql")


def program(name: str) -> str:
    """Where a program is. Raises LabError with the remedy."""
    found = shutil.which(name, path=_path())
    if found is None:
        raise LabError(f"{name} is not installed: {SETUP}")
    return found


def php_fpm_program() -> str:
    """Debian names it after the version of PHP; the newest is taken. Raises LabError."""
    for folder in _path().split(os.pathsep):
        for found in sorted(Path(folder).glob("php-fpm*"), reverse=True):
            if shutil.which(found):
                return str(found)
    raise LabError(f"php-fpm is not installed: {SETUP}")


def postgres_program(name: str) -> str:
    """Debian keeps every version in a folder of its own, outside of PATH. Raises LabError."""
    found = sorted(_POSTGRES.glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]))
    if found:
        return str(found[-1])
    elsewhere = shutil.which(name)
    if elsewhere is None:
        raise LabError(f"{name} of PostgreSQL is not installed: {SETUP}")
    return elsewhere


def _path() -> str:
    return os.pathsep.join([os.environ.get("PATH", os.defpath), *_SYSTEM])
