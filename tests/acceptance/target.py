"""The model server, in a process of its own."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def target(*flags: str) -> Iterator[str]:
    """The URL of `breakstep target` with these flags; it is stopped on leaving."""
    command = [sys.executable, "-m", "breakstep", "target", *flags]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip().removeprefix("listening on ")
        finally:
            process.terminate()
