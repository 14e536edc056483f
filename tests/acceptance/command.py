"""The command line, in a process of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

BREAKSTEP: Final = (sys.executable, "-m", "breakstep")
FAST: Final = ("--steps", "50", "--hold", "300ms", "--warmup", "0s", "--slo", "errors<1%")
"""The shortest search that gives an answer."""


def breakstep(
    *arguments: str, cwd: Path, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs the program to its end, with files in `cwd`."""
    return subprocess.run(
        [*BREAKSTEP, *arguments],
        cwd=cwd,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )


def found_json(ended: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The one JSON document on standard output."""
    document: dict[str, Any] = json.loads(ended.stdout)
    return document
