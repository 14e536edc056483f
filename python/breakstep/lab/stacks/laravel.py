"""The Laravel app of the PHP labs, made ready: a folder for what it writes, and its caches warm."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from breakstep.lab.servers.programs import SETUP, program
from breakstep.model.errors import LabError

APP = Path(__file__).parents[1] / "apps" / "laravel"
SCRIPT = APP / "public" / "index.php"
"""What PHP runs for every request."""

_FOLDERS = ("logs", "framework/views", "framework/cache")
_CACHES = ("SERVICES", "PACKAGES", "CONFIG", "ROUTES", "EVENTS")
_WARM = ("config:cache", "route:cache")
_FRAMEWORK = "Illuminate/autoload.php"
FRAMEWORK_VERSION = f"require '{_FRAMEWORK}'; echo Illuminate\\Foundation\\Application::VERSION;"
"""What PHP runs to tell it."""


def installed(home: Path, database: Mapping[str, str]) -> Mapping[str, str]:
    """Makes the app ready in `home`; returns what its processes need in their environment.

    `database` are its `DB_*` variables. They go into the cache of the configuration: a pool that is
    started later with others reads these. Raises LabError.
    """
    for folder in _FOLDERS:
        (home / folder).mkdir(parents=True)
    environment = {
        "LAB_STORAGE": str(home),
        **{f"APP_{name}_CACHE": str(home / f"{name.lower()}.php") for name in _CACHES},
        **database,
    }
    for command in _WARM:
        _artisan(command, environment)
    return environment


def _artisan(command: str, environment: Mapping[str, str]) -> None:
    done = subprocess.run(  # noqa: S603  our own command line
        [program("php"), str(APP / "artisan"), command],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    said = f"{done.stdout}{done.stderr}".strip()
    if _FRAMEWORK in said:
        raise LabError(f"Laravel (php-laravel-framework) is not installed: {SETUP}")
    if done.returncode != 0:
        raise LabError(f"Laravel could not run {command}: {said}")
