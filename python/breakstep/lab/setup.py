"""`lab setup`: installs what the labs need, and says what it does."""

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from breakstep.lab.needs import NEEDS, missing
from breakstep.lab.node_modules import FILES, MANIFEST, cache_directory
from breakstep.lab.servers.programs import program
from breakstep.model.errors import LabError

Say = Callable[[str], None]
_WORDS_MAX = 2000


def set_up(say: Say) -> None:
    """Installs what is missing; nothing where nothing is. Raises LabError with what to do."""
    absent = missing(NEEDS)
    packages = [need.package for name in absent if (need := NEEDS[name]).package is not None]
    if "node-modules" in absent and shutil.which("npm"):
        packages.remove("npm")
    if packages:
        _install(packages, say)
        _stop_services([NEEDS[name].service for name in absent if NEEDS[name].service], say)
    if "node-modules" in absent:
        _install_node_modules(say)
    if left := missing(NEEDS):
        raise LabError(_remains(left))
    say("everything the labs need is installed")


def _install(packages: Sequence[str], say: Say) -> None:
    apt = shutil.which("apt-get")
    command = ["apt-get", "install", "--yes", "--no-install-recommends", *packages]
    if apt is None:
        raise LabError(
            f"missing: {', '.join(packages)} (Debian package names); "
            "install them with this system's packager"
        )
    say(f"running {' '.join(command)}")
    root = _as_root(command)
    if _succeeds([*root, *command]) is not None:
        # The lists of packages may be absent or old.
        _succeeds([*root, "apt-get", "update", "--quiet"])
        if (words := _succeeds([*root, *command])) is not None:
            raise LabError(f"apt-get failed: {words}")


def _as_root(command: Sequence[str]) -> list[str]:
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") and _succeeds(["sudo", "-n", "true"]) is None:
        return ["sudo", "-n"]
    raise LabError(f"this needs root; run: sudo {' '.join(command)}")


def _stop_services(patterns: Sequence[str], say: Say) -> None:
    """Those that were installed just now; the labs start servers of their own."""
    root = _as_root(["service"])
    for pattern in patterns:
        for script in sorted(Path("/etc/init.d").glob(pattern)):
            say(f"stopping the service {script.name}, which no lab uses")
            _succeeds([*root, "service", script.name, "stop"])


def _install_node_modules(say: Say) -> None:
    folder = cache_directory()
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        shutil.copyfile(MANIFEST / name, folder / name)
    say(f"running npm ci in {folder}")
    flags = ["--ignore-scripts", "--no-audit", "--no-fund"]
    words = _succeeds([program("npm"), "ci", "--prefix", str(folder), *flags])
    if words is not None:
        raise LabError(f"npm failed: {words}")


def _succeeds(command: Sequence[str]) -> str | None:
    """None if it does, its last words if not."""
    done = subprocess.run(  # noqa: S603  our own command line
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
    )
    if done.returncode == 0:
        return None
    return (done.stdout + done.stderr)[-_WORDS_MAX:].strip() or f"exit code {done.returncode}"


def _remains(left: Sequence[str]) -> str:
    remedy = "; pip install 'breakstep[postgres]'" if "psycopg" in left else ""
    return f"not installed still: {', '.join(left)}{remedy}"
