"""Which version a program is, by its own words."""

import re
import subprocess
from collections.abc import Sequence

_NUMBER = re.compile(r"\d+(?:\.\d+)+")
_WAIT_S = 10.0


def version(command: Sequence[str]) -> str:
    """The first number with a dot that it says, `unknown` if it says none: `["nginx", "-v"]`."""
    try:
        said = subprocess.run(  # noqa: S603  our own command line
            command, capture_output=True, text=True, check=False, timeout=_WAIT_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    found = _NUMBER.search(said.stdout + said.stderr)
    return found[0] if found else "unknown"
