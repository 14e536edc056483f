"""A busy neighbour of the generator."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

HOG = "import os, sys; os.sched_setaffinity(0, {int(sys.argv[1])})\nwhile True: pass"


@contextmanager
def hog(core: int) -> Iterator[None]:
    """A busy loop on a core, stopped on leaving."""
    with subprocess.Popen([sys.executable, "-c", HOG, str(core)]) as process:
        try:
            yield
        finally:
            process.kill()
